package io.imexagent.imex.provision;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;

/** What {@code rpm-ostree status --json} says: deployments, the one of the next boot first. */
final class OstreeStatus {

    private static final ObjectMapper JSON = new ObjectMapper();

    private OstreeStatus() {}

    /**
     * Whether a deployment that is not booted yet has the package among those that were requested.
     *
     * @throws IOException where the text is not that of rpm-ostree
     */
    static boolean layersNextBoot(String text, String name) throws IOException {
        JsonNode next;
        try {
            next = JSON.readTree(text).path("deployments").path(0);
        } catch (JsonProcessingException broken) {
            throw new IOException("rpm-ostree status --json is not understood; look at what it prints", broken);
        }
        if (next.path("booted").asBoolean(true)) {
            return false;
        }
        for (JsonNode requested : next.path("requested-packages")) {
            if (requested.asText().equals(name)) {
                return true;
            }
        }
        return false;
    }
}
