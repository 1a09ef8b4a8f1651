package io.imexagent.agent.architecture;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.imexagent.host.Program;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Who may use what, over everything that ships. The rules of {@code core} alone stand in its own module. */
class HouseRulesTest {

    /** About three quarters of what was there when the rules were written; fewer mean that the importer saw nothing. */
    private static final Map<String, Integer> FEWEST = Map.ofEntries(
            Map.entry("core", 60),
            Map.entry("nvml", 30),
            Map.entry("files", 4),
            Map.entry("host", 2),
            Map.entry("cdi", 5),
            Map.entry("checkpoint", 18),
            Map.entry("systemd", 3),
            Map.entry("log", 8),
            Map.entry("worker", 6),
            Map.entry("kubernetes", 35),
            Map.entry("dra", 60),
            Map.entry("imex", 90),
            Map.entry("rdma", 70),
            Map.entry("fabric", 30),
            Map.entry("controller", 35),
            Map.entry("agent", 110));

    /** What each module may use of ours, beside itself; see docs/architecture.md. */
    private static final Map<String, List<String>> MAY_USE = Map.ofEntries(
            Map.entry("core", List.of()),
            Map.entry("nvml", List.of()),
            Map.entry("files", List.of()),
            Map.entry("host", List.of("core")),
            Map.entry("systemd", List.of()),
            Map.entry("log", List.of("core", "systemd")),
            Map.entry("cdi", List.of("core", "files")),
            Map.entry("checkpoint", List.of("core", "files", "host")),
            Map.entry("worker", List.of("core")),
            Map.entry("kubernetes", List.of("core", "host", "worker")),
            Map.entry("dra", List.of("core", "files", "host", "cdi", "checkpoint", "worker", "kubernetes")),
            Map.entry(
                    "imex",
                    List.of(
                            "core",
                            "nvml",
                            "systemd",
                            "files",
                            "host",
                            "cdi",
                            "checkpoint",
                            "worker",
                            "kubernetes",
                            "dra")),
            Map.entry("rdma", List.of("core", "files", "host", "cdi", "checkpoint", "worker", "kubernetes", "dra")),
            Map.entry("fabric", List.of("core", "nvml", "host", "kubernetes")),
            Map.entry("controller", List.of("core", "host", "worker", "kubernetes")));

    /** What names one driver. Nothing that serves them all says such a word. */
    private static final Pattern DRIVER_NAME =
            Pattern.compile("compute-domain\\.nvidia\\.com|rdma\\.imexagent\\.io|rails?\\.state");

    private static final String GENERATED = "io.imexagent.dra.proto..";

    private static final JavaClasses ALL = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            // The doubles that other modules share.
            .withImportOption(
                    location -> !location.contains("-tests.jar") && !location.contains("/io/imexagent/testing/"))
            .importPackages("io.imexagent");

    @Test
    void theRulesSeeEveryModule() {
        FEWEST.forEach((module, fewest) -> assertThat(
                        ALL.stream().filter(type -> type.getPackageName().startsWith(root(module))))
                .as(module)
                .hasSizeGreaterThan(fewest));
    }

    @Test
    void aModuleUsesWhatStandsBelowItOnly() {
        MAY_USE.forEach((module, below) -> {
            String[] others = FEWEST.keySet().stream()
                    .filter(other -> !other.equals(module) && !below.contains(other))
                    .map(other -> root(other) + "..")
                    .toArray(String[]::new);
            check(noClasses()
                    .that()
                    .resideInAPackage(root(module) + "..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(others));
        });
    }

    @Test
    void whatServesEveryDriverNamesNone() {
        for (String module : List.of("core", "cdi", "checkpoint", "worker", "dra")) {
            Path sources = Path.of("..", module, "src", "main", "java");
            try (Stream<Path> files = Files.walk(sources)) {
                List<Path> all = files.filter(Files::isRegularFile).toList();
                assertThat(all).as(module).isNotEmpty();
                for (Path file : all) {
                    assertThat(Files.readString(file).replaceAll("(?s)/\\*.*?\\*/|//[^\n]*", ""))
                            .as(file.toString())
                            .doesNotContainPattern(DRIVER_NAME);
                }
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
        check(noClasses()
                .that()
                .resideInAnyPackage(
                        root("core") + "..",
                        root("cdi") + "..",
                        root("checkpoint") + "..",
                        root("worker") + "..",
                        root("dra") + "..")
                .should()
                .haveNameMatching(".*\\.(Rail|Imex|ComputeDomain(?!Uid))[A-Za-z]*"));
    }

    /** In {@code host} for the native image, where jnr-posix cannot be (decision 0107). */
    @Test
    void jnaIsUsedForNvmlCudaSystemdAndPosixOnly() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages(
                        "io.imexagent.nvml..",
                        "io.imexagent.systemd..",
                        "io.imexagent.fabric.cuda.jna..",
                        "io.imexagent.host")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("com.sun.jna.."));
    }

    @Test
    void posixIsCalledInHostOnly() {
        only("io.imexagent.host..", "jnr..", "com.kenai.jffi..");
    }

    @Test
    void nativeCodeIsNotReachedByTheJdksOwnInterface() {
        check(noClasses().should().dependOnClassesThat().resideInAnyPackage("java.lang.foreign.."));
    }

    /** Whatever calls POSIX or starts programs may use it, so it uses no other module; its JSON is by Jackson. */
    @Test
    void hostKnowsTheJdkAndItsLibrariesOnly() {
        check(classes()
                .that()
                .resideInAPackage("io.imexagent.host")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "io.imexagent.host..",
                        "java..",
                        "jnr.posix..",
                        "jnr.ffi..",
                        "com.sun.jna..",
                        "org.slf4j..",
                        "org.jspecify.."));
    }

    @Test
    void grpcAndProtobufAreUsedInDraOnly() {
        only("io.imexagent.dra.kubelet..", "io.grpc..", "com.google..");
    }

    @Test
    void vertxIsUsedWhereTheEventLoopIs() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages(
                        "io.imexagent.dra.kubelet..",
                        "io.imexagent.dra.driver..",
                        "io.imexagent.agent.http..",
                        "io.imexagent.agent.metrics..",
                        "io.imexagent.agent.runtime..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.vertx..", "io.netty.."));
    }

    @Test
    void micrometerIsUsedInMetricsOnly() {
        only("io.imexagent.agent.metrics..", "io.micrometer..", "io.prometheus..");
    }

    @Test
    void picocliIsUsedInTheCommandLineOnly() {
        only("io.imexagent.agent.cli..", "picocli..");
    }

    @Test
    void theHttpClientIsUsedInTheKubernetesModuleOnly() {
        only("io.imexagent.kubernetes..", "java.net.http..");
    }

    @Test
    void choosingRailsReadsNoFile() {
        check(noClasses()
                .that()
                .resideInAPackage("io.imexagent.rdma.selection..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.imexagent.rdma.probe..", "java.io..", "java.nio.file.."));
    }

    /** With {@code ImexCommandTest}: the only programs are the questions that it lists. */
    @Test
    void onlyQuestionsArePutToNvidiaImex() {
        check(noClasses()
                .that()
                .resideInAnyPackage("io.imexagent.imex.health..", "io.imexagent.imex.watch..")
                .and()
                .doNotHaveFullyQualifiedName("io.imexagent.imex.health.ImexCommand")
                .should()
                .callCodeUnitWhere(target(owner(type(Program.class))))
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.lang.Runtime"));
    }

    /** Programs that end by themselves, and children that one talks with; the trial of a driver's library is no program but a load that may hang. */
    @Test
    void processesAreStartedInThreePlacesOnly() {
        check(noClasses()
                .that()
                .doNotHaveFullyQualifiedName("io.imexagent.host.HostPrograms")
                .and()
                .doNotHaveFullyQualifiedName("io.imexagent.host.PipedProcess")
                .and()
                .doNotHaveFullyQualifiedName("io.imexagent.nvml.jna.TrialLoad")
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.lang.ProcessBuilder")
                .orShould()
                .callMethodWhere(target(owner(type(Runtime.class))).and(target(name("exec")))));
    }

    /**
     * Questions to nvidia-imex, to systemd about the kubelet, to the container runtime and to ip; credentials of a
     * kubeconfig; provisioning.
     */
    @Test
    void programsAreRunBySixOnly() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages("io.imexagent.host..", "io.imexagent.imex.provision..")
                .and()
                .doNotHaveFullyQualifiedName("io.imexagent.imex.health.ImexReader")
                .and()
                .doNotHaveFullyQualifiedName("io.imexagent.kubernetes.access.ExecPlugin")
                .and()
                .doNotHaveFullyQualifiedName("io.imexagent.rdma.rails.RuntimeProbe")
                .and()
                .doNotHaveFullyQualifiedName("io.imexagent.rdma.probe.RootedFiles")
                .and()
                .doNotHaveFullyQualifiedName("io.imexagent.dra.kubelet.KubeletUnits")
                .should()
                .dependOnClassesThat()
                .haveNameMatching("io\\.imexagent\\.host\\.(Host)?Programs"));
    }

    @Test
    void childrenAreStartedByTheFabricTestOnly() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages("io.imexagent.host..", "io.imexagent.fabric..")
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName("io.imexagent.host.PipedProcess"));
    }

    @Test
    void probesKnowNothingOfKubernetes() {
        check(noClasses()
                .that()
                .resideInAnyPackage("io.imexagent.imex.probe..", "io.imexagent.rdma.probe..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.imexagent.kubernetes.."));
    }

    /** Elsewhere its bounds would be forgotten. YAML has its own parsers, and the scanner of answers has one. */
    @Test
    void oneClassOpensParsersOfJson() {
        check(noClasses()
                .that()
                .resideOutsideOfPackage("io.imexagent.host.json..")
                .and()
                .doNotHaveFullyQualifiedName("io.imexagent.kubernetes.json.JsonScanner")
                .and()
                .resideOutsideOfPackages("io.imexagent.e2e..", "io.imexagent.testing..")
                .should()
                .callMethodWhere(target(owner(type(JsonFactory.class))).and(target(name("createParser"))))
                .orShould()
                .callMethodWhere(target(owner(type(ObjectMapper.class))).and(target(name("readTree")))));
    }

    @Test
    void onlyTheRuntimeKnowsTheRuntime() {
        check(noClasses()
                .that()
                .resideOutsideOfPackage("io.imexagent.agent.runtime..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.imexagent.agent.runtime.."));
    }

    @Test
    void packagesHaveNoCycles() {
        for (String module : FEWEST.keySet()) {
            check(slices().matching(root(module) + ".(*)..")
                    .should()
                    .beFreeOfCycles()
                    .allowEmptyShould(true));
        }
        check(slices().matching("io.imexagent.(*)..").should().beFreeOfCycles());
    }

    private static String root(String module) {
        return "io.imexagent." + module;
    }

    private static void only(String user, String... libraries) {
        check(noClasses()
                .that()
                .resideOutsideOfPackages(user, GENERATED)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(libraries));
    }

    private static void check(ArchRule rule) {
        rule.check(ALL);
    }
}
