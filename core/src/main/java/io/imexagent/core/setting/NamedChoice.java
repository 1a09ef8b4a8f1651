package io.imexagent.core.setting;

/** An enum whose constants have names of their own in the configuration. */
@FunctionalInterface
public interface NamedChoice {

    /** The constant's name in configuration files. */
    String text();
}
