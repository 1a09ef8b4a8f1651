package io.imexagent.imex.prepare;

import io.imexagent.core.claim.JsonText;

/**
 * Decodes the opaque parameters of a claim, strictly: an unknown field, a wrong type, an unknown kind or broken JSON is
 * {@link Decoded.Invalid}, never an exception. Pure.
 */
@FunctionalInterface
public interface ConfigDecoder {

    /** Decodes parameters that a user wrote. */
    Decoded decode(JsonText parameters);

    /** What became of the parameters. */
    sealed interface Decoded {

        /**
         * They are a configuration of ours.
         *
         * @param config the configuration
         */
        record Valid(ComputeDomainConfig config) implements Decoded {}

        /**
         * They are not.
         *
         * @param reason a clause that names the field and what it must be
         */
        record Invalid(String reason) implements Decoded {}
    }
}
