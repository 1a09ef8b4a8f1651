package io.imexagent.e2e.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.process.Checkout;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links from document to document lead somewhere, headings included: in the checkout, and in the package. */
class DocumentLinksTest {

    private static final Path ROOT = Checkout.find().root();
    private static final List<String> FOLDERS = List.of(
            ".",
            "docs",
            "docs/decisions",
            "packaging/rpm",
            "packaging/container",
            "packaging/prometheus",
            "packaging/kubernetes");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s]*)(?:#([^)\\s]*))?\\)");
    private static final Pattern HEADING = Pattern.compile("^#+ +(.*?) *$", Pattern.MULTILINE);
    private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");

    @TempDir
    Path shipped;

    @Test
    void everyLinkLeadsSomewhere() throws IOException {
        List<Path> documents = new ArrayList<>();
        for (String folder : FOLDERS) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(ROOT.resolve(folder), "*.md")) {
                files.forEach(file -> documents.add(file.normalize()));
            }
        }

        assertThat(dead(ROOT, documents)).isEmpty();
    }

    @Test
    void noDocumentOfThePackageLinksToWhatThePackageDoesNotShip() throws IOException, InterruptedException {
        Process layout = new ProcessBuilder(
                        ROOT.resolve("packaging/rpm/documents").toString(), shipped.toString())
                .inheritIO()
                .start();
        assertThat(layout.waitFor()).isZero();
        List<Path> documents;
        try (Stream<Path> files = Files.walk(shipped)) {
            documents = files.filter(file -> file.toString().endsWith(".md")).toList();
        }

        assertThat(shipped.resolve("docs/decisions/README.md")).exists();
        assertThat(shipped.resolve("packaging/kubernetes/examples/smoke.yaml")).exists();
        assertThat(dead(shipped, documents)).isEmpty();
    }

    /** The links that lead nowhere, or out of the folder. */
    private static List<String> dead(Path folder, List<Path> documents) throws IOException {
        List<String> dead = new ArrayList<>();
        int followed = 0;
        for (Path document : documents) {
            for (MatchResult link :
                    LINK.matcher(Files.readString(document)).results().toList()) {
                if (ELSEWHERE.matcher(link.group(1)).matches()) {
                    continue;
                }
                followed++;
                Path target = link.group(1).isEmpty()
                        ? document
                        : document.resolveSibling(link.group(1)).normalize();
                if (!target.startsWith(folder)
                        || !Files.exists(target)
                        || (link.group(2) != null && !headings(target).contains(link.group(2)))) {
                    dead.add(folder.relativize(document) + ": " + link.group());
                }
            }
        }
        assertThat(followed).isGreaterThan(50);
        return dead;
    }

    /** The anchors of a document's headings: lower case, without marks, blanks as hyphens. */
    private static Set<String> headings(Path document) throws IOException {
        return HEADING.matcher(Files.readString(document))
                .results()
                .map(heading -> heading.group(1)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                        .replace(' ', '-'))
                .collect(Collectors.toSet());
    }
}
