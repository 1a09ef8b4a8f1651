package io.imexagent.e2e.packaging;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.e2e.process.Checkout;
import io.imexagent.testing.api.object.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The notice of what ships of others: each library with its licences, the licence and notice files out of the jars, and
 * the text of each licence that SPDX knows, as the bill of materials has it.
 */
public final class ThirdPartyNotice {
    private static final String OWN = "io.imexagent";
    private static final Pattern FILES = Pattern.compile(
            "(META-INF/)?[^/]*(LICEN[CS]E|NOTICE|COPYING|COPYRIGHT|AL2\\.0|LGPL2\\.1)[^/]*(?<!\\.class)");

    private ThirdPartyNotice() {}

    /**
     * Makes the notice.
     *
     * @param bill the bill of the jars, with the texts of licences
     * @param jars the folder of the jars that ship, or that a native image was built of
     * @throws IOException when one cannot be read, or a library has no licence text in either
     */
    public static String of(Path bill, Path jars) throws IOException {
        var list = new StringBuilder();
        SequencedMap<String, List<String>> texts = new LinkedHashMap<>();
        Map<String, String> standard = new TreeMap<>();
        for (JsonNode component : components(bill, jars)) {
            String library = component.path("name").asText() + " "
                    + component.path("version").asText();
            List<String> licences = new ArrayList<>();
            boolean found = false;
            for (JsonNode entry : component.path("licenses")) {
                JsonNode licence = entry.path("license");
                String name =
                        licence.path("name").asText(entry.path("expression").asText());
                String id = licence.path("id").asText(name);
                licences.add(id);
                if (licence.at("/text/content").isTextual()) {
                    standard.put(id, decoded(licence.path("text")));
                    found = true;
                }
            }
            for (Path jar : Checkout.files(jars, library.replace(' ', '-') + "{,-*}.jar")) {
                for (String text : files(jar)) {
                    List<String> whose = texts.computeIfAbsent(text, key -> new ArrayList<>());
                    if (!whose.contains(library)) {
                        whose.add(library);
                    }
                    found = true;
                }
            }
            if (!found) {
                throw new IOException(
                        "neither " + bill + " nor its jar has the text of a licence of " + library + ": " + licences);
            }
            String group = component.path("group").asText();
            list.append("  %s (%s): %s%n".formatted(library, group, String.join(", ", licences)));
        }
        var notice = new StringBuilder("""
                imex-agent contains software of others. This file lists it with its licences; where there are several, it may
                be used under any of them. Below are the licence and notice files of the libraries, then the licences. Those
                of the Java runtime and of libffi, which is within native parts, are in folders beside this file.

                """).append(list);
        texts.forEach((text, whose) -> section(notice, "From " + String.join(", ", whose), text));
        standard.forEach((id, text) -> section(notice, id, text));
        return notice.toString();
    }

    private static Collection<JsonNode> components(Path bill, Path jars) throws IOException {
        Map<String, JsonNode> components = new TreeMap<>();
        for (JsonNode component : Json.parse(Files.readAllBytes(bill)).path("components")) {
            if (MaterialsBill.hasJar(component, jars)
                    && !component.path("group").asText().equals(OWN)) {
                // A jar of native parts is a component of its own, with the same name.
                String name = component.path("name").asText();
                components.put(name + " " + component.path("group").asText(), component);
            }
        }
        if (components.isEmpty()) {
            throw new IOException(bill + " is no CycloneDX document with components");
        }
        return components.values();
    }

    private static List<String> files(Path jar) throws IOException {
        var texts = new ArrayList<String>();
        try (ZipFile archive = new ZipFile(jar.toFile())) {
            for (ZipEntry entry : Collections.list(archive.entries())) {
                if (FILES.matcher(entry.getName()).matches()) {
                    texts.add(new String(archive.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8));
                }
            }
        }
        return texts;
    }

    private static String decoded(JsonNode text) {
        String content = text.path("content").asText();
        return text.path("encoding").asText().equals("base64")
                ? new String(Base64.getDecoder().decode(content), StandardCharsets.UTF_8)
                : content;
    }

    private static void section(StringBuilder notice, String title, String text) {
        notice.append("\n%s%n%s%n%n%s%n"
                .formatted("=".repeat(120), title, text.replace("\r", "").strip()));
    }
}
