package io.imexagent.agent.architecture;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Who may use what, over everything that ships. The rules of {@code core} alone stand in its own module. */
class HouseRulesTest {

    /** About three quarters of what was there when the rules were written; fewer mean that the importer saw nothing. */
    private static final Map<String, Integer> FEWEST = Map.ofEntries(
            Map.entry("io.imexagent.core", 90),
            Map.entry("io.imexagent.nvml", 30),
            Map.entry("io.imexagent.files", 4),
            Map.entry("io.imexagent.cdi", 10),
            Map.entry("io.imexagent.checkpoint", 20),
            Map.entry("io.imexagent.systemd", 5),
            Map.entry("io.imexagent.imex", 30),
            Map.entry("io.imexagent.kubernetes", 35),
            Map.entry("io.imexagent.controller", 35),
            Map.entry("io.imexagent.rdma", 40),
            Map.entry("io.imexagent.agent", 150));

    private static final String GENERATED = "io.imexagent.agent.dra.proto..";
    private static final String AGENT = "io.imexagent.agent..";

    private static final JavaClasses ALL = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.imexagent");

    @Test
    void theRulesSeeEveryModule() {
        FEWEST.forEach((root, fewest) -> assertThat(
                        ALL.stream().filter(type -> type.getPackageName().startsWith(root)))
                .as(root)
                .hasSizeGreaterThan(fewest));
    }

    @Test
    void nothingKnowsTheAgentButTheAgent() {
        check(noClasses()
                .that()
                .resideOutsideOfPackage(AGENT)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(AGENT));
    }

    @Test
    void jnaIsUsedForNvmlTheLockAndSystemdOnly() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages("io.imexagent.nvml..", "io.imexagent.checkpoint..", "io.imexagent.systemd..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("com.sun.jna.."));
    }

    @Test
    void grpcAndProtobufAreUsedInDraOnly() {
        only("io.imexagent.agent.dra..", "io.grpc..", "com.google..");
    }

    @Test
    void vertxIsUsedWhereTheEventLoopIs() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages(
                        "io.imexagent.agent.dra..",
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
    void cdiAndCheckpointDoNotKnowEachOther() {
        check(noClasses()
                .that()
                .resideInAPackage("io.imexagent.cdi..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.imexagent.checkpoint.."));
        check(noClasses()
                .that()
                .resideInAPackage("io.imexagent.checkpoint..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.imexagent.cdi.."));
    }

    @Test
    void rdmaKnowsTheDomainOnly() {
        check(noClasses()
                .that()
                .resideInAPackage("io.imexagent.rdma..")
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages(
                        "io.imexagent.rdma..", "io.imexagent.core..", "java..", "org.jspecify.annotations.."));
        check(noClasses()
                .that()
                .resideInAPackage("io.imexagent.rdma.selection..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.imexagent.rdma.probe..", "java.io..", "java.nio.file.."));
        check(slices().matching("io.imexagent.rdma.(*)..").should().beFreeOfCycles());
    }

    @Test
    void theWatchOfNvidiaImexStandsAlone() {
        check(classes()
                .that()
                .resideInAPackage("io.imexagent.imex..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("io.imexagent.imex..", "java..", "com.fasterxml.jackson..", "org.jspecify.."));
    }

    /** With {@code ImexCommandTest}: the only processes are the questions that it lists. */
    @Test
    void onlyTheRunnerOfQuestionsStartsProcessesForNvidiaImex() {
        check(noClasses()
                .that()
                .resideInAnyPackage("io.imexagent.imex..", "io.imexagent.agent.imex..")
                .and()
                .doNotHaveSimpleName("ProcessRunner")
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.lang.ProcessBuilder")
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.lang.Runtime"));
    }

    /**
     * Questions to nvidia-imex, the trial of a driver's library, credentials of a kubeconfig, and commands of the host,
     * which only provisioning and the question to the container runtime have: nobody else starts a process.
     */
    @Test
    void processesAreStartedInFourPlacesOnly() {
        check(noClasses()
                .that()
                .doNotHaveFullyQualifiedName("io.imexagent.imex.query.ProcessRunner")
                .and()
                .doNotHaveFullyQualifiedName("io.imexagent.nvml.jna.TrialLoad")
                .and()
                .doNotHaveFullyQualifiedName("io.imexagent.kubernetes.access.ExecPlugin")
                .and()
                .doNotHaveFullyQualifiedName("io.imexagent.agent.command.HostCommands")
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.lang.ProcessBuilder")
                .orShould()
                .callMethodWhere(target(owner(type(Runtime.class))).and(target(name("exec")))));
        check(noClasses()
                .that()
                .resideOutsideOfPackages("io.imexagent.agent.command..", "io.imexagent.agent.provision..")
                .and()
                .doNotHaveFullyQualifiedName("io.imexagent.agent.rails.RuntimeProbe")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.imexagent.agent.command.."));
    }

    @Test
    void probesKnowNothingOfKubernetes() {
        check(noClasses()
                .that()
                .resideInAPackage("io.imexagent.agent.probe..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.imexagent.kubernetes.."));
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
        check(slices().matching("io.imexagent.agent.(*)..").should().beFreeOfCycles());
        check(slices().matching("io.imexagent.(*)..").should().beFreeOfCycles());
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
