package io.imexagent.core.setting;

/** An enum whose constants have other names in the configuration than their own in lower case. */
@FunctionalInterface
public interface NamedChoice {

    /** The constant's name in configuration files. */
    String text();
}
