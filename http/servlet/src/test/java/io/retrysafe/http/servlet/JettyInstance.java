// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.servlet;

import io.retrysafe.Retrysafe;
import io.retrysafe.http.testkit.Instance;
import io.retrysafe.http.testkit.Setup;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.MultipartConfigElement;
import jakarta.servlet.Servlet;
import java.io.IOException;
import java.util.EnumSet;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** An application on Jetty, behind the filter. */
final class JettyInstance implements Instance {
  private final Server server = new Server();
  private final ServerConnector connector = new ServerConnector(server);
  private final Retrysafe engine;

  JettyInstance(Setup setup) throws Exception {
    this.engine = setup.engine();
    RetrysafeFilter filter =
        RetrysafeFilter.builder(setup.guard(engine))
            .account(request -> request.getHeader(Setup.ACCOUNT))
            .build();
    start(filter, new ApplicationServlet(setup.application()));
  }

  JettyInstance(Retrysafe engine, Filter filter, Servlet servlet) throws Exception {
    this.engine = engine;
    start(filter, servlet);
  }

  private void start(Filter filter, Servlet servlet) throws Exception {
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    ServletContextHandler context = new ServletContextHandler("/");
    ServletHolder holder = new ServletHolder(servlet);
    holder.setAsyncSupported(true);
    holder.getRegistration().setMultipartConfig(new MultipartConfigElement(""));
    context.addServlet(holder, "/*");
    FilterHolder filterHolder = new FilterHolder(filter);
    filterHolder.setAsyncSupported(true);
    context.addFilter(filterHolder, "/*", EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC));
    server.setHandler(context);
    server.start();
  }

  @Override
  public int port() {
    return connector.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    try {
      server.stop();
    } catch (Exception e) {
      throw new IOException(e);
    } finally {
      engine.close();
    }
  }
}
