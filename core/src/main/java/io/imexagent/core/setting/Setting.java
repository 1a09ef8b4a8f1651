package io.imexagent.core.setting;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A key of the configuration: the record's component holds its value, and {@link Value} describes the valid values. The
 * key has the component's name; a component that is itself a record with settings is a section.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Setting {

    /** What the value does, in a sentence or a few, as the reference and the help print it. */
    String value();
}
