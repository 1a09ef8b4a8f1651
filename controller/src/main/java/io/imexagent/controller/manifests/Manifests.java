package io.imexagent.controller.manifests;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** The objects that a cluster needs, as YAML documents for {@code kubectl apply -f -}, and as the templates of a chart. */
public final class Manifests {

    private Manifests() {}

    /** All documents, in the order in which they are applied. */
    public static String of(ManifestOptions options) {
        return Arrays.stream(Manifest.values())
                .filter(manifest -> manifest.wanted(options))
                .map(manifest -> manifest.text(options))
                .collect(Collectors.joining("---\n"));
    }

    /** The files of the Helm chart's folder {@code templates}, by name. */
    public static Map<String, String> helmTemplates() {
        Map<String, String> templates = new LinkedHashMap<>();
        for (Manifest manifest : Manifest.values()) {
            templates.put(manifest.file(), manifest.helm());
        }
        return templates;
    }
}
