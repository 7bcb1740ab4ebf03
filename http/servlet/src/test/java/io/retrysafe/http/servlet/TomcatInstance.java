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
import java.nio.file.Files;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;

/** An application on Tomcat, behind the filter. */
final class TomcatInstance implements Instance {
  private final Tomcat tomcat = new Tomcat();
  private final Retrysafe engine;

  TomcatInstance(Setup setup) throws IOException, LifecycleException {
    this.engine = setup.engine();
    RetrysafeFilter filter =
        RetrysafeFilter.builder(setup.guard(engine))
            .account(request -> request.getHeader(Setup.ACCOUNT))
            .build();
    start(filter, new ApplicationServlet(setup.application()));
  }

  TomcatInstance(Retrysafe engine, Filter filter, Servlet servlet)
      throws IOException, LifecycleException {
    this.engine = engine;
    start(filter, servlet);
  }

  private void start(Filter filter, Servlet servlet) throws IOException, LifecycleException {
    tomcat.setBaseDir(Files.createTempDirectory("tomcat").toString());
    tomcat.setPort(0);
    Connector connector = tomcat.getConnector();
    connector.setProperty("address", "127.0.0.1");
    // Otherwise Tomcat asks for every body before it asks any filter.
    connector.setProperty("continueResponseTiming", "onRead");
    Context context = tomcat.addContext("", null);
    Wrapper wrapper = Tomcat.addServlet(context, "application", servlet);
    wrapper.setAsyncSupported(true);
    wrapper.setMultipartConfigElement(new MultipartConfigElement(""));
    wrapper.addMapping("/*");
    FilterDef definition = new FilterDef();
    definition.setFilterName("retrysafe");
    definition.setFilter(filter);
    definition.setAsyncSupported("true");
    context.addFilterDef(definition);
    FilterMap map = new FilterMap();
    map.setFilterName("retrysafe");
    map.addURLPattern("/*");
    map.setDispatcher(DispatcherType.REQUEST.name());
    map.setDispatcher(DispatcherType.ASYNC.name());
    context.addFilterMap(map);
    tomcat.start();
  }

  @Override
  public int port() {
    return tomcat.getConnector().getLocalPort();
  }

  @Override
  public void close() throws IOException {
    try {
      tomcat.stop();
      tomcat.destroy();
    } catch (LifecycleException e) {
      throw new IOException(e);
    } finally {
      engine.close();
    }
  }
}
