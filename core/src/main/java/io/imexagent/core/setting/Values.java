package io.imexagent.core.setting;

/**
 * The values of settings, one after the other. A record of settings has a constructor that takes them in the order of its
 * components, so that it is made without reflection, which would cost a start some forty milliseconds.
 */
@FunctionalInterface
public interface Values {

    /** The value of the next setting, of its component's type. */
    @SuppressWarnings("TypeParameterUnusedInFormals") // the catalogue knows the type of each component
    <T> T next();
}
