// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.store;

import io.retrysafe.spring.internal.properties.RetrysafeProperties.StoreKind;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Arrays;
import java.util.Map;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches where {@code retrysafe.store} is one of these. */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Conditional(ConditionalOnStore.OnStore.class)
@interface ConditionalOnStore {
  StoreKind[] value();

  /** Reads the property as the rest of the configuration does. */
  final class OnStore extends SpringBootCondition {

    @Override
    public ConditionOutcome getMatchOutcome(
        ConditionContext context, AnnotatedTypeMetadata metadata) {
      Map<String, ?> attributes =
          metadata.getAnnotationAttributes(ConditionalOnStore.class.getName());
      StoreKind chosen =
          Binder.get(context.getEnvironment())
              .bind("retrysafe.store", StoreKind.class)
              .orElse(StoreKind.AUTO);
      boolean isIt =
          attributes != null
              && attributes.get("value") instanceof StoreKind[] kinds
              && Arrays.asList(kinds).contains(chosen);
      return new ConditionOutcome(
          isIt, ConditionMessage.forCondition(ConditionalOnStore.class).because("it is " + chosen));
    }
  }
}
