package io.imexagent.dra.kubelet;

import io.imexagent.host.HostPrograms;
import io.imexagent.host.Program;
import io.imexagent.host.ProgramOutcome;
import io.imexagent.host.Programs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The units that may run this node's kubelet, and the root directory that systemd shows them to give it: by {@code
 * --root-dir}, or by what k3s, RKE2 and k0s call it, on the command line with the variables of the unit in it. Reads
 * only. What a unit's program reads by itself is not seen, but for the configuration file of k3s and RKE2; where
 * another file that is not read may name it, nothing is said.
 *
 * @param hostRoot where the host's files stand
 */
public record KubeletUnits(Programs programs, Path systemctl, List<String> units, Path hostRoot) {

    /** The kubelet's own default. */
    private static final Path USUAL = Path.of("/var/lib/kubelet");

    /** What runs a kubelet, with the root directory that it has where none is named. */
    private static final Map<String, Path> DEFAULTS = Map.of(
            "kubelet", USUAL, "hyperkube", USUAL, "k3s", USUAL, "rke2", USUAL, "k0s", Path.of("/var/lib/k0s/kubelet"));

    private static final String PROPERTIES = "Id,ActiveState,ExecStart,Environment,EnvironmentFiles";
    private static final Duration DEADLINE = Duration.ofSeconds(5);
    private static final int LARGEST_ANSWER = 1 << 20;
    private static final long LARGEST_FILE = 1 << 18;

    private static final Map<String, String> ENVIRONMENT =
            Map.of("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL", "C", "SYSTEMD_COLORS", "0", "SYSTEMD_PAGER", "");

    private static final Pattern COMMAND = Pattern.compile("argv\\[\\]=(.*?) ; ignore_errors=");
    private static final Pattern VARIABLE =
            Pattern.compile("\\$(?:\\{([A-Za-z_][A-Za-z0-9_]*)}|([A-Za-z_][A-Za-z0-9_]*))");
    private static final Pattern ROOT =
            Pattern.compile("(?:^|[\\s=,\\[])-{0,2}(?:kubelet-)?root-dir(?:=|\\s+)(/[^\\s;,\\]]*)");
    private static final Pattern K0S_DATA = Pattern.compile("(?:^|\\s)--data-dir(?:=|\\s+)(/[^\\s;]*)");
    private static final Pattern CONFIG = Pattern.compile("(?:^|\\s)(?:--config|-c)(?:=|\\s)");
    private static final Pattern KUBELET = Pattern.compile("(?:^|[\\s/])kubelet(?:\\s|$)");

    public KubeletUnits {
        units = List.copyOf(units);
    }

    /** The units of these names, as that program tells of them. */
    public static KubeletUnits of(Path systemctl, List<String> units, Path hostRoot) {
        return new KubeletUnits(new HostPrograms(), systemctl, units, hostRoot);
    }

    /** The root directory of the kubelet that a unit runs. */
    public record KubeletRoot(String unit, Path directory) {

        /** That the kubelet looks elsewhere than in this directory, as a clause; empty where it is the same one. */
        public Optional<String> differsFrom(Path watched) {
            return isSame(directory, watched)
                    ? Optional.empty()
                    : Optional.of(unit + " has the root directory " + directory + ", and the agent's sockets are below "
                            + watched + ", where that kubelet never looks");
        }

        /** What to do where it differs. */
        public String remedy() {
            return "set kubelet.root to " + directory + ", and let the unit write there with the drop-in of"
                    + " docs/install.md; or leave the unit that runs this node's kubelet alone in kubelet.units";
        }

        private static boolean isSame(Path one, Path other) {
            try {
                return one.normalize().equals(other.normalize())
                        || one.toRealPath().equals(other.toRealPath());
            } catch (IOException missing) {
                return false;
            }
        }
    }

    /** Of the unit that is active, the first of several; empty where none is, or where it does not tell. Blocking. */
    public Optional<KubeletRoot> running() throws InterruptedException {
        var words = new ArrayList<>(List.of(systemctl.toString(), "show", "--property=" + PROPERTIES, "--"));
        words.addAll(units);
        return programs.run(Program.apart(words, DEADLINE, ENVIRONMENT, LARGEST_ANSWER))
                                instanceof ProgramOutcome.Ended(int code, String out, var _)
                        && code == 0
                ? Arrays.stream(out.split("\\n\\s*\\n", -1))
                        .flatMap(unit -> of(unit.lines().toList()).stream())
                        .findFirst()
                : Optional.empty();
    }

    private Optional<KubeletRoot> of(List<String> shown) {
        Optional<String> command = all(shown, "ExecStart").stream()
                .map(COMMAND::matcher)
                .filter(Matcher::find)
                .map(found -> found.group(1))
                .reduce((first, last) -> last);
        boolean active = all(shown, "ActiveState").stream()
                .anyMatch(List.of("active", "activating", "reloading", "refreshing")::contains);
        if (command.isEmpty() || !active) {
            return Optional.empty();
        }
        var variables = new HashMap<String, String>();
        boolean known = readVariables(shown, variables);
        if (!known && VARIABLE.matcher(command.get()).find()) {
            return Optional.empty();
        }
        String line = unquoted(expanded(command.get(), variables));
        String program = program(line);
        Optional<Path> named = last(ROOT, line).map(Path::of);
        boolean hasFile = program.equals("k3s") || program.equals("rke2");
        return (named.isPresent() || !hasFile ? named : configured(program, known, line, variables))
                .or(() -> program.equals("k0s")
                        ? last(K0S_DATA, line).map(data -> Path.of(data, "kubelet"))
                        : Optional.empty())
                .or(() -> hasFile ? Optional.empty() : Optional.ofNullable(DEFAULTS.get(program)))
                .map(root ->
                        new KubeletRoot(all(shown, "Id").stream().findFirst().orElse("the kubelet's unit"), root));
    }

    /** A shell may start it. */
    private static String program(String line) {
        String first = line.strip().split("\\s+", 2)[0];
        String name = first.substring(first.lastIndexOf('/') + 1);
        return !DEFAULTS.containsKey(name) && KUBELET.matcher(line).find() ? "kubelet" : name;
    }

    /** {@code kubelet-arg} in the file of k3s, or of RKE2; empty where another file may have it, or one is not readable. */
    private Optional<Path> configured(String program, boolean known, String line, Map<String, String> variables) {
        String file = "/etc/rancher/" + program + "/config.yaml";
        boolean elsewhere = !known
                || CONFIG.matcher(line).find()
                || variables.containsKey(program.toUpperCase(Locale.ROOT) + "_CONFIG_FILE")
                || Files.exists(onHost(file + ".d"));
        return elsewhere
                ? Optional.empty()
                : settings(file, true)
                        .map(lines -> last(ROOT, unquoted(String.join("\n", lines)))
                                .map(Path::of)
                                .orElse(USUAL));
    }

    /** Returns whether all files of variables could be read. */
    private boolean readVariables(List<String> shown, Map<String, String> variables) {
        all(shown, "Environment").forEach(line -> words(line).forEach(word -> assign(word, variables)));
        boolean known = true;
        for (String file : all(shown, "EnvironmentFiles")) {
            String path = file.replaceFirst(" \\(ignore_errors=(yes|no)\\)$", "");
            Optional<List<String>> lines = settings(path, file.endsWith("=yes)"));
            lines.map(found -> String.join("\n", found).replace("\\\n", ""))
                    .ifPresent(text -> text.lines().forEach(line -> assign(line, variables)));
            // A pattern of several files is not followed.
            known &= lines.isPresent() && !path.matches(".*[*?\\[].*");
        }
        return known;
    }

    private static void assign(String line, Map<String, String> variables) {
        int equals = line.indexOf('=');
        if (equals > 0) {
            variables.put(
                    line.substring(0, equals).strip(),
                    unquoted(line.substring(equals + 1)).strip());
        }
    }

    /** The lines of a host's file that are no comments, none of one that may be missing; empty where it cannot be read. */
    private Optional<List<String>> settings(String path, boolean mayBeMissing) {
        try {
            Path file = onHost(path);
            return Files.size(file) > LARGEST_FILE
                    ? Optional.empty()
                    : Optional.of(Files.readString(file, StandardCharsets.ISO_8859_1)
                            .lines()
                            .filter(line -> !line.strip().startsWith("#")
                                    && !line.strip().startsWith(";"))
                            .toList());
        } catch (NoSuchFileException missing) {
            return mayBeMissing ? Optional.of(List.of()) : Optional.empty();
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }

    private Path onHost(String path) {
        return hostRoot.resolve(path.startsWith("/") ? path.substring(1) : path);
    }

    /** systemd knows no variables in the values of others. */
    private static String expanded(String command, Map<String, String> variables) {
        return VARIABLE.matcher(command)
                .replaceAll(found -> Matcher.quoteReplacement(
                        variables.getOrDefault(found.group(1) == null ? found.group(2) : found.group(1), "")));
    }

    /** The words of a line in which quotes keep blanks together. */
    private static List<String> words(String line) {
        var words = new ArrayList<String>();
        Matcher word = Pattern.compile("(?:[^\\s\"']|\"[^\"]*\"|'[^']*')+").matcher(line);
        while (word.find()) {
            words.add(unquoted(word.group()));
        }
        return words;
    }

    private static String unquoted(String text) {
        return text.replace("\"", "").replace("'", "").replace("\\", "");
    }

    private static Optional<String> last(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(found -> found.group(1)).reduce((first, last) -> last);
    }

    private static List<String> all(List<String> shown, String property) {
        return shown.stream()
                .filter(line -> line.startsWith(property + "="))
                .map(line -> line.substring(property.length() + 1))
                .toList();
    }
}
