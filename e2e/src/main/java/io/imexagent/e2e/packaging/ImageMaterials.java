package io.imexagent.e2e.packaging;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The bill of materials of the container image, CycloneDX: the package's, with the base image and the packages of Debian or
 * its kin that are in it. {@code packaging/container/build} runs this file as a program, with the jars of the package for class
 * path, since it works without a build of the checkout; so nothing else of the project is used here.
 */
public final class ImageMaterials {

    private static final Path DATABASE = Path.of("var/lib/dpkg");
    private static final Pattern FIELD = Pattern.compile("(?md)^(\\S.*?): (.*)$");

    private ImageMaterials() {}

    /** Takes the package's bill, the folder of the base's files, the base's name, its digest, and the file to write. */
    public static void main(String... arguments) throws IOException {
        byte[] bill =
                withBase(Files.readAllBytes(Path.of(arguments[0])), Path.of(arguments[1]), arguments[2], arguments[3]);
        Files.write(Path.of(arguments[4]), bill);
    }

    /**
     * Adds a base to the bill of the package. Of a base without a package database of Debian's it says name and digest.
     *
     * @throws IOException when a file cannot be read, or the bill has no components
     */
    static byte[] withBase(byte[] bill, Path base, String name, String digest) throws IOException {
        var mapper = new ObjectMapper();
        JsonNode tree = mapper.readTree(bill);
        if (!(tree.get("components") instanceof ArrayNode components)) {
            throw new IOException("the bill of the package is no CycloneDX document with components");
        }
        components
                .addObject()
                .put("type", "container")
                .put("bom-ref", "base-image")
                .put("name", name)
                .put("version", digest);
        Properties release = release(base);
        for (Map<String, String> one : packages(base).values()) {
            add(components.addObject(), one, base, release);
        }
        return mapper.writeValueAsBytes(tree);
    }

    private static void add(ObjectNode component, Map<String, String> one, Path base, Properties release)
            throws IOException {
        String name = one.getOrDefault("Package", "");
        String version = one.getOrDefault("Version", "");
        String distribution = word(release, "ID", "debian");
        String number = word(release, "VERSION_ID", "");
        String purl = "pkg:deb/" + encoded(distribution) + "/" + encoded(name) + "@" + encoded(version) + "?arch="
                + one.getOrDefault("Architecture", "all")
                + (number.isEmpty() ? "" : "&distro=" + distribution + "-" + number);
        component
                .put("type", "library")
                .put("bom-ref", purl)
                .put("name", name)
                .put("version", version)
                .put("purl", purl);
        List<String> licences = licences(base, name);
        if (!licences.isEmpty()) {
            ArrayNode list = component.putArray("licenses");
            licences.forEach(licence -> list.addObject().putObject("license").put("name", licence));
        }
    }

    /** The installed packages by name, each with the fields of its control file that fill one line. */
    private static Map<String, Map<String, String>> packages(Path base) throws IOException {
        var packages = new TreeMap<String, Map<String, String>>();
        for (Path file : databases(base)) {
            for (String paragraph : Files.readString(file).split("\n\\s*\n", -1)) {
                Map<String, String> fields = fields(paragraph);
                if (fields.containsKey("Package")
                        && fields.getOrDefault("Status", " installed").endsWith(" installed")) {
                    packages.put(fields.getOrDefault("Package", ""), fields);
                }
            }
        }
        return packages;
    }

    /** That of dpkg is one file; bases that are put together without dpkg have one for each package. */
    private static List<Path> databases(Path base) throws IOException {
        List<Path> found = new ArrayList<>();
        Path whole = base.resolve(DATABASE).resolve("status");
        if (Files.isRegularFile(whole)) {
            found.add(whole);
        }
        Path folder = base.resolve(DATABASE).resolve("status.d");
        if (Files.isDirectory(folder)) {
            try (Stream<Path> files = Files.list(folder)) {
                files.filter(file -> !file.toString().endsWith(".md5sums"))
                        .sorted()
                        .forEach(found::add);
            }
        }
        return found;
    }

    private static Map<String, String> fields(String paragraph) {
        return FIELD.matcher(paragraph)
                .results()
                .collect(Collectors.toMap(
                        field -> field.group(1), field -> field.group(2).strip(), (first, second) -> second));
    }

    /** The licences as Debian calls them, where its copyright file is one for programs; else where to read them. */
    private static List<String> licences(Path base, String name) throws IOException {
        Path place = Path.of("usr/share/doc", name, "copyright");
        Path copyright = base.resolve(place);
        if (!Files.isRegularFile(copyright)) {
            return List.of();
        }
        List<String> lines = Files.readString(copyright).lines().toList();
        if (lines.isEmpty() || !lines.getFirst().startsWith("Format:")) {
            return List.of("see /" + place);
        }
        return lines.stream()
                .filter(line -> line.startsWith("License:"))
                .map(line -> line.substring("License:".length()).strip())
                .filter(licence -> !licence.isEmpty())
                .distinct()
                .toList();
    }

    /** What os-release(5) says of the base. A link is not followed: it could lead out of the base. */
    private static Properties release(Path base) throws IOException {
        var release = new Properties();
        for (String place : List.of("usr/lib/os-release", "etc/os-release")) {
            Path file = base.resolve(place);
            if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                try (var reader = Files.newBufferedReader(file)) {
                    release.load(reader);
                }
            }
        }
        return release;
    }

    private static String word(Properties release, String key, String otherwise) {
        return release.getProperty(key, otherwise).replaceAll("[\"']", "");
    }

    /** As package URLs have it. */
    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("%3A", ":")
                .replace("%7E", "~");
    }
}
