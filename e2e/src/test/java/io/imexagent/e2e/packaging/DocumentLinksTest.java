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
import org.junit.jupiter.api.Test;

/** Links from document to document lead somewhere, headings included. */
class DocumentLinksTest {

    private static final Path ROOT = Checkout.find().root();
    private static final List<String> FOLDERS =
            List.of(".", "docs", "docs/decisions", "packaging/rpm", "packaging/prometheus", "packaging/kubernetes");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s]*)(?:#([^)\\s]*))?\\)");
    private static final Pattern HEADING = Pattern.compile("^#+ +(.*?) *$", Pattern.MULTILINE);
    private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");

    @Test
    void everyLinkLeadsSomewhere() throws IOException {
        List<String> dead = new ArrayList<>();
        int followed = 0;
        for (Path document : documents()) {
            for (MatchResult link :
                    LINK.matcher(Files.readString(document)).results().toList()) {
                if (ELSEWHERE.matcher(link.group(1)).matches()) {
                    continue;
                }
                followed++;
                Path target = link.group(1).isEmpty()
                        ? document
                        : document.resolveSibling(link.group(1)).normalize();
                if (!Files.exists(target)
                        || (link.group(2) != null && !headings(target).contains(link.group(2)))) {
                    dead.add(ROOT.relativize(document) + ": " + link.group());
                }
            }
        }

        assertThat(dead).isEmpty();
        assertThat(followed).isGreaterThan(50);
    }

    private static List<Path> documents() throws IOException {
        List<Path> documents = new ArrayList<>();
        for (String folder : FOLDERS) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(ROOT.resolve(folder), "*.md")) {
                files.forEach(file -> documents.add(file.normalize()));
            }
        }
        return documents;
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
