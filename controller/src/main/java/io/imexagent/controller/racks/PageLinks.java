package io.imexagent.controller.racks;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import java.util.function.Predicate;

/** The targets of the page's links, as configured: the address of a Grafana, and that of the runbook. */
public record PageLinks(Optional<String> grafana, Optional<String> runbook) {

    /**
     * Whether a text is the address of a web page: {@code http} or {@code https} with a host, without a user, which the
     * page would show, and without a fragment, which the link adds.
     */
    public static final class WebAddress implements Predicate<String> {

        public static final String NOUN =
                "an address that begins with https:// or http://, without a user and without #";

        private static final int LONGEST = 1024;

        @Override
        public boolean test(String text) {
            try {
                URI address = new URI(text);
                return text.length() <= LONGEST
                        && ("https".equalsIgnoreCase(address.getScheme())
                                || "http".equalsIgnoreCase(address.getScheme()))
                        && address.getHost() != null
                        && address.getRawUserInfo() == null
                        && address.getRawFragment() == null;
            } catch (URISyntaxException none) {
                return false;
            }
        }
    }
}
