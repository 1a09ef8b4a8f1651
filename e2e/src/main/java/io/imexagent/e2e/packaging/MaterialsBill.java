package io.imexagent.e2e.packaging;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * The package's bill of materials, CycloneDX: what Maven wrote of the jars that ship, without the texts of licences, which
 * are in the {@link ThirdPartyNotice}; libffi, which is within native parts; and the Java runtime that ships beside them.
 */
public final class MaterialsBill {

    private static final Pattern CLASSIFIER = Pattern.compile("[?&]classifier=([^&]+)");

    private MaterialsBill() {}

    /**
     * Adds runtime and libffi to the bill of the jars, and takes out libraries without a jar.
     *
     * @param maven the bill that Maven wrote
     * @param jars the folder of the jars that ship, or that a native image was built of
     * @param release the file {@code release} of the JDK that the runtime was made from, or whose classes are in the
     *     native image
     * @param substrate the version of GraalVM's Substrate VM, which a native image has in place of the JVM
     * @throws IOException when one cannot be read, or is not what it should be
     */
    public static byte[] withRuntime(Path maven, Path jars, Path release, Optional<String> substrate)
            throws IOException {
        JsonNode bill = Json.parse(Files.readAllBytes(maven));
        if (!(bill.get("components") instanceof ArrayNode components)) {
            throw new IOException(maven + " is no CycloneDX document with components");
        }
        keep(components, jars, bill.path("dependencies"));
        bill.findValues("license").forEach(licence -> {
            if (licence instanceof ObjectNode known) {
                known.remove("text");
            }
        });
        components.add(Json.literal("""
                {"type":"library","bom-ref":"libffi","name":"libffi",
                 "description":"Within native parts of jars, which do not say which version.",
                 "licenses":[{"license":{"id":"MIT"}}]}"""));
        var runtime = new Properties();
        try (var reader = Files.newBufferedReader(release)) {
            runtime.load(reader);
        }
        ObjectNode java =
                platform(components, "java-runtime", "OpenJDK", value(runtime, "JAVA_RUNTIME_VERSION", release));
        java.put("publisher", value(runtime, "IMPLEMENTOR", release));
        substrate.ifPresent(version -> platform(components, "native-image", "GraalVM Substrate VM", version));
        return Json.bytes(bill);
    }

    /** Whether the jar of a library of the bill is there; one for one architecture is a library with a classifier. */
    static boolean hasJar(JsonNode component, Path jars) {
        String classifier = CLASSIFIER
                .matcher(component.path("purl").asText())
                .results()
                .map(found -> "-" + found.group(1))
                .findFirst()
                .orElse("");
        return Files.exists(jars.resolve(component.path("name").asText() + "-"
                + component.path("version").asText() + classifier + ".jar"));
    }

    /** Takes out what has no jar, also where others depend on it. */
    private static void keep(ArrayNode components, Path jars, JsonNode dependencies) {
        var gone = new HashSet<String>();
        for (JsonNode component : components) {
            if (!hasJar(component, jars)) {
                gone.add(component.path("bom-ref").asText());
            }
        }
        remove(components, component -> gone.contains(component.path("bom-ref").asText()));
        remove(dependencies, dependency -> gone.contains(dependency.path("ref").asText()));
        dependencies.forEach(
                dependency -> remove(dependency.path("dependsOn"), reference -> gone.contains(reference.asText())));
    }

    private static void remove(JsonNode list, Predicate<JsonNode> which) {
        for (Iterator<JsonNode> each = list.iterator(); each.hasNext(); ) {
            if (which.test(each.next())) {
                each.remove();
            }
        }
    }

    /** One under the licence of OpenJDK, which GraalVM's runtime has too (its file LICENSE). */
    private static ObjectNode platform(ArrayNode components, String reference, String name, String version) {
        ObjectNode platform = components.addObject();
        platform.put("type", "platform")
                .put("bom-ref", reference)
                .put("name", name)
                .put("version", version)
                .putArray("licenses")
                .addObject()
                .put("expression", "GPL-2.0-only WITH Classpath-exception-2.0");
        return platform;
    }

    private static String value(Properties release, String key, Path file) throws IOException {
        String value = release.getProperty(key);
        if (value == null) {
            throw new IOException(file + " does not say " + key);
        }
        return value.replace("\"", "");
    }
}
