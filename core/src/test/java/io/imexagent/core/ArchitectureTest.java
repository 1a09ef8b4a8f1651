package io.imexagent.core;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.conditions.ArchConditions.accessTargetWhere;
import static com.tngtech.archunit.lang.conditions.ArchConditions.never;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.io.StringReader;
import java.net.InetAddress;
import java.time.Clock;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    /** About what the module had when the rules were written; far fewer mean that the importer found nothing. */
    private static final int FEWEST_CLASSES = 60;

    private static final Set<String> PACKAGES =
            Set.of("check", "claim", "inventory", "ledger", "policy", "refusal", "setting", "slice", "text");

    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.imexagent.core");

    private static final ArchRule NO_OUTER_WORLD = noClasses()
            .should()
            .dependOnClassesThat(resideInAnyPackage(
                            "java.io..",
                            "java.nio.file..",
                            "java.nio.channels..",
                            "java.net..",
                            "java.util.concurrent..",
                            "java.util.logging..",
                            "java.lang.foreign..")
                    .and(not(equivalentTo(InetAddress.class))));

    private static final ArchRule NO_THREADS_AND_PROCESSES = noClasses()
            .should()
            .dependOnClassesThat()
            .belongToAnyOf(Thread.class, ThreadLocal.class, Runtime.class, ProcessBuilder.class, ProcessHandle.class);

    private static final ArchRule NO_CLOCK_NO_ENVIRONMENT_NO_CHANCE =
            classes().should(never(accessTargetWhere(readsTheOuterWorld())));

    private static final ArchRule NO_LOCKS = methods().should().notHaveModifier(JavaModifier.SYNCHRONIZED);

    private static final ArchRule NO_CYCLES =
            slices().matching("io.imexagent.core.(*)..").should().beFreeOfCycles();

    @Test
    void theRulesSeeTheWholeModule() {
        assertThat(CORE).hasSizeGreaterThan(FEWEST_CLASSES);
        for (String name : PACKAGES) {
            assertThat(CORE.containPackage("io.imexagent.core." + name))
                    .as(name)
                    .isTrue();
        }
    }

    @Test
    void coreUsesTheJdkAndJSpecifyOnly() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("io.imexagent.core..", "java..", "org.jspecify..")
                .check(CORE);
    }

    @Test
    void coreReachesForNoFileSocketOrLog() {
        NO_OUTER_WORLD.check(CORE);
    }

    @Test
    void coreStartsNoThreadAndNoProcess() {
        NO_THREADS_AND_PROCESSES.check(CORE);
    }

    @Test
    void coreReadsNoClockNoEnvironmentAndNoRandomNumbers() {
        NO_CLOCK_NO_ENVIRONMENT_NO_CHANCE.check(CORE);
    }

    @Test
    void coreHasNoLocks() {
        NO_LOCKS.check(CORE);
    }

    @Test
    void packagesFormNoCycle() {
        NO_CYCLES.check(CORE);
    }

    @Test
    void theRulesCatchAClassThatBreaksThem() {
        JavaClasses sinner = new ClassFileImporter().importClasses(Sinner.class);

        for (ArchRule rule :
                Set.of(NO_OUTER_WORLD, NO_THREADS_AND_PROCESSES, NO_CLOCK_NO_ENVIRONMENT_NO_CHANCE, NO_LOCKS)) {
            assertThatThrownBy(() -> rule.check(sinner))
                    .as(rule.getDescription())
                    .isInstanceOf(AssertionError.class);
        }
    }

    private static DescribedPredicate<JavaAccess<?>> readsTheOuterWorld() {
        DescribedPredicate<JavaAccess<?>> now = describe(
                "reads a clock",
                access -> access.getTarget().getName().equals("now")
                        && access.getTargetOwner().getPackageName().equals("java.time"));
        DescribedPredicate<JavaAccess<?>> clock = describe(
                "makes a clock of the system",
                access -> access.getTargetOwner().isEquivalentTo(Clock.class)
                        && access.getTarget().getName().matches("system.*|tick.+"));
        DescribedPredicate<JavaAccess<?>> system =
                describe("asks the system", access -> access.getTargetOwner().isEquivalentTo(System.class));
        DescribedPredicate<JavaAccess<?>> chance = describe(
                "takes a random number",
                access -> nameMatching("java\\.util\\.(random\\..*|Random|SplittableRandom)")
                                .test(access.getTargetOwner())
                        || access.getTarget().getFullName().startsWith("java.lang.Math.random")
                        || access.getTarget().getFullName().startsWith("java.util.UUID.randomUUID"));
        DescribedPredicate<JavaAccess<?>> lookUp = describe(
                "looks up a host",
                access -> access.getTargetOwner().isEquivalentTo(InetAddress.class)
                        && !access.getTarget()
                                .getName()
                                .matches("ofLiteral|getHostAddress|is(AnyLocal|LinkLocal|Loopback)Address"));
        return now.or(clock).or(system).or(chance).or(lookUp).as("reads clock, system or random numbers");
    }

    /** Does what no class of this module may do. */
    private static final class Sinner implements Supplier<String> {
        private final AtomicInteger count = new AtomicInteger();

        @Override
        public synchronized String get() {
            return new StringReader("").toString() + Thread.currentThread() + Instant.now() + count.get();
        }
    }
}
