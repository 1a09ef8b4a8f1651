package io.imexagent.agent.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Numbers that documents give by hand are those of the constants behind them. */
class DocumentFactsTest {

    private static final Path ROOT = Path.of("..");
    private static final String NUMBER = "#";

    /** Numbers that a sentence may have as a word. */
    private static final List<String> WORDS =
            List.of("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten");

    enum Unit {
        COUNT,
        KIB,
        MIB,
        SECONDS,
        MINUTES
    }

    /**
     * A number of a document.
     *
     * @param document its path
     * @param sentence the words around the number, for which {@code #} stands
     * @param constant a static field by the simple name of its type: {@code Gate.PATIENCE}
     */
    record Fact(String document, String sentence, String constant, Unit unit) {

        String number() throws IOException, ReflectiveOperationException {
            int dot = constant.lastIndexOf('.');
            var field = type(constant.substring(0, dot)).getDeclaredField(constant.substring(dot + 1));
            field.setAccessible(true);
            return text(field.get(null));
        }

        private String text(Object value) {
            return switch (unit) {
                case COUNT -> Long.toString(((Number) value).longValue());
                case KIB -> Long.toString(((Number) value).longValue() >> 10);
                case MIB -> Long.toString(((Number) value).longValue() >> 20);
                case SECONDS -> Long.toString(((Duration) value).toSeconds());
                case MINUTES -> Long.toString(((Duration) value).toMinutes());
            };
        }

        Set<String> accepted() throws IOException, ReflectiveOperationException {
            String number = number();
            String word = WORDS.stream()
                    .filter(each -> number.equals(Integer.toString(WORDS.indexOf(each))))
                    .findFirst()
                    .orElse(number);
            return new TreeSet<>(List.of(sentence.replace(NUMBER, number), sentence.replace(NUMBER, word)));
        }

        private static Class<?> type(String name) throws IOException, ClassNotFoundException {
            String file = name.replaceFirst("\\..*", "") + ".java";
            try (Stream<Path> files = Files.find(
                    ROOT,
                    12,
                    (path, attributes) -> path.endsWith(file) && path.toString().contains("/src/main/java/"))) {
                String source = files.findFirst()
                        .orElseThrow(() -> new ClassNotFoundException(file))
                        .toString();
                String packageName = source.substring(0, source.lastIndexOf('/'))
                        .replaceFirst(".*/src/main/java/", "")
                        .replace('/', '.');
                return Class.forName(packageName + "." + name.replace('.', '$'));
            }
        }

        @Override
        public String toString() {
            return document + ": " + sentence;
        }
    }

    static List<Fact> facts() {
        return List.of(
                new Fact("kubernetes/README.md", "at most # MiB each", "JsonScanner.LONGEST", Unit.MIB),
                new Fact(
                        "kubernetes/README.md",
                        "at most # connections",
                        "HttpKubernetesApi.PREPARE_AT_ONCE",
                        Unit.COUNT),
                new Fact(
                        "kubernetes/README.md",
                        "share # calls a second",
                        "HttpKubernetesApi.BACKGROUND_PER_SECOND",
                        Unit.COUNT),
                new Fact("kubernetes/README.md", "a burst of #", "HttpKubernetesApi.BACKGROUND_BURST", Unit.COUNT),
                new Fact("kubernetes/README.md", "compares the files every # s", "Sessions.CHECK", Unit.SECONDS),
                new Fact(
                        "docs/decisions/0006-publication-watches-and-confirms.md",
                        "after # to 4 minutes",
                        "Reflector.SHORTEST_WATCH",
                        Unit.MINUTES),
                new Fact(
                        "docs/decisions/0040-rdma-is-a-module.md",
                        "until # slots in a row",
                        "NicProbe.EMPTY_RUN",
                        Unit.COUNT),
                new Fact(
                        "docs/decisions/0080-no-helper-makes-channel-nodes.md",
                        "more than # pods",
                        "UserNamespaces.MOST_PODS",
                        Unit.COUNT),
                new Fact(
                        "docs/decisions/0080-no-helper-makes-channel-nodes.md",
                        "within # seconds",
                        "UserNamespaces.PATIENCE",
                        Unit.SECONDS),
                new Fact("docs/decisions/0050-one-http-stack.md", "at most # MiB", "JsonScanner.LONGEST", Unit.MIB),
                new Fact(
                        "docs/decisions/0056-who-sees-documents.md",
                        "# connections",
                        "LimitedTransport.MOST",
                        Unit.COUNT),
                new Fact(
                        "docs/decisions/0056-who-sees-documents.md",
                        "# of them of one address",
                        "LimitedTransport.MOST_OF_ONE_ADDRESS",
                        Unit.COUNT),
                new Fact(
                        "docs/decisions/0056-who-sees-documents.md",
                        "at most # clients",
                        "DocumentAccess.AT_ONCE",
                        Unit.COUNT),
                new Fact(
                        "docs/decisions/0056-who-sees-documents.md",
                        "a refusal for # seconds",
                        "DocumentReviews.REFUSED",
                        Unit.SECONDS),
                new Fact(
                        "docs/decisions/0057-reading-and-keeping-are-bounded.md",
                        "a #nd of the heap",
                        "FileCheckpointStore.WRITTEN_OF_HEAP",
                        Unit.COUNT),
                new Fact(
                        "docs/decisions/0057-reading-and-keeping-are-bounded.md",
                        "a #th of the heap",
                        "FileCheckpointStore.READ_OF_HEAP",
                        Unit.COUNT),
                new Fact(
                        "docs/troubleshooting.md",
                        "a #nd of the heap",
                        "FileCheckpointStore.WRITTEN_OF_HEAP",
                        Unit.COUNT),
                new Fact(
                        "docs/decisions/0058-claims-that-no-kubelet-ends.md",
                        "at least # minutes",
                        "ClaimConfirmer.Absences.LONG_ENOUGH",
                        Unit.MINUTES),
                new Fact(
                        "docs/decisions/0059-the-controller-sees-no-claim.md",
                        "the Nodes every # minutes",
                        "LostNodes.ROUND",
                        Unit.MINUTES),
                new Fact(
                        "docs/decisions/0068-the-page-of-the-racks.md",
                        "At most # for each state",
                        "NodeLinks.MOST",
                        Unit.COUNT),
                new Fact(
                        "docs/decisions/0083-nodes-say-their-mode-and-who-uses-channel-0.md",
                        "waits # minutes",
                        "SharedChannels.LASTING",
                        Unit.MINUTES),
                new Fact("docs/isolation.md", "for # minutes, each", "SharedChannels.LASTING", Unit.MINUTES),
                new Fact("docs/isolation.md", "at most every #", "StatusPace.REST", Unit.SECONDS),
                new Fact(
                        "docs/decisions/0084-one-writer-of-a-table-in-an-agent.md",
                        "writes # of them one by one",
                        "BindQueue.ONE_BY_ONE",
                        Unit.COUNT),
                new Fact(
                        "docs/decisions/0086-what-is-missing-is-not-fresh.md",
                        "every # s",
                        "SpecReconciler.INTERVAL",
                        Unit.SECONDS),
                new Fact(
                        "docs/decisions/0086-what-is-missing-is-not-fresh.md",
                        "at most # MiB",
                        "CdiDirectory.LARGEST",
                        Unit.MIB),
                new Fact(
                        "docs/decisions/0087-the-controller-says-which-nodes-do-not-answer.md",
                        "every # minutes",
                        "LostNodes.ROUND",
                        Unit.MINUTES),
                new Fact(
                        "docs/decisions/0087-the-controller-says-which-nodes-do-not-answer.md",
                        "at most # in a",
                        "LostNodes.MOST_MARKS",
                        Unit.COUNT),
                new Fact("docs/gate.md", "up to # s", "Gate.PATIENCE", Unit.SECONDS));
    }

    @ParameterizedTest
    @MethodSource("facts")
    void theNumberIsThatOfTheConstant(Fact fact) throws IOException, ReflectiveOperationException {
        String text = Files.readString(ROOT.resolve(fact.document())).replaceAll("\\s+", " ");

        assertThat(fact.accepted())
                .as(fact + " by " + fact.constant())
                .anyMatch(sentence -> Pattern.compile("(?<![\\d.,])" + Pattern.quote(sentence))
                        .matcher(text)
                        .find());
    }

    @Test
    void theSentenceHasTheNumberInDigitsOrAsAWord() throws IOException, ReflectiveOperationException {
        var fact = new Fact("README.md", "waits # minutes", "SharedChannels.LASTING", Unit.MINUTES);

        assertThat(fact.accepted()).containsExactly("waits 3 minutes", "waits three minutes");
    }
}
