package io.imexagent.imex.provision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.imexagent.host.ProgramOutcome;
import io.imexagent.imex.fake.HostTree;
import io.imexagent.imex.fake.ServiceSettings;
import io.imexagent.imex.gate.ImexServiceSettings;
import io.imexagent.imex.health.UnitFileState;
import io.imexagent.imex.provision.Provisioning.ProvisionResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProvisioningTest {

    private static final String DNF = "dnf --assumeyes install nvidia-imex";
    private static final String ENABLE = "systemctl enable nvidia-imex.service";
    private static final String LAYER = "rpm-ostree install --idempotent --assumeyes nvidia-imex";
    private static final String GPU = "sys/bus/pci/devices/0008:06:00.0/";

    @TempDir
    Path folder;

    private final FakeRpmHost rpm = new FakeRpmHost();
    private final List<String> lines = new ArrayList<>();
    private HostTree host = new HostTree(Path.of("/"));
    private ImexServiceSettings service = ServiceSettings.service();
    private boolean onlyWithGpu;

    @BeforeEach
    void anyNvidiaGpu() {
        host = HostTree.gb200(folder)
                .with(GPU + "vendor", "0x10de\n")
                .with(GPU + "class", "0x030200\n")
                .with(GPU + "device", "0x2330\n");
    }

    @Test
    void installsAndEnablesAndStartsNothing() throws Exception {
        assertThat(apply()).isEqualTo(ProvisionResult.CHANGED);

        assertThat(rpm.changes()).containsExactly(DNF, ENABLE);
        assertThat(lines)
                .containsExactly(
                        "changed: installed package nvidia-imex",
                        "changed: enabled nvidia-imex.service; it starts at the next boot, where the gate lets it");
        assertThat(rpm.run()).noneMatch(command -> command.contains(" start") || command.contains("--now"));
    }

    @Test
    void aNameWithItsVersionIsInstalledOnce() throws Exception {
        service = service(true, "nvidia-imex-580.95.05");

        assertThat(apply()).isEqualTo(ProvisionResult.CHANGED);
        assertThat(rpm.changes()).containsExactly(DNF + "-580.95.05", ENABLE);
        assertThat(apply()).isEqualTo(ProvisionResult.NOTHING_TO_DO);
    }

    @Test
    void changesNothingTheSecondTime() throws Exception {
        apply();
        lines.clear();
        int before = rpm.changes().size();

        assertThat(apply()).isEqualTo(ProvisionResult.NOTHING_TO_DO);

        assertThat(rpm.changes()).hasSize(before);
        assertThat(lines)
                .containsExactly("nothing to do: package nvidia-imex is installed, nvidia-imex.service is enabled");
        assertThat(check()).isEqualTo(ProvisionResult.NOTHING_TO_DO);
    }

    @Test
    void doesNotEnableWhatThePackageEnabledItself() throws Exception {
        rpm.enabledByPreset();

        assertThat(apply()).isEqualTo(ProvisionResult.CHANGED);
        assertThat(rpm.changes()).containsExactly(DNF);
    }

    @Test
    void aCheckTellsAndChangesNothing() throws Exception {
        assertThat(check()).isEqualTo(ProvisionResult.WOULD_CHANGE);

        assertThat(rpm.changes()).isEmpty();
        assertThat(lines)
                .containsExactly(
                        "would install package nvidia-imex: " + DNF, "would enable nvidia-imex.service: " + ENABLE);
    }

    @Test
    void enablesAUnitThatIsDisabled() throws Exception {
        rpm.installed("disabled");

        assertThat(check()).isEqualTo(ProvisionResult.WOULD_CHANGE);
        assertThat(apply()).isEqualTo(ProvisionResult.CHANGED);
        assertThat(rpm.changes()).containsExactly(ENABLE);
    }

    @Test
    void leavesAMaskedUnitAloneWithAMessage() throws Exception {
        rpm.installed("masked");

        assertThat(apply()).isEqualTo(ProvisionResult.NOTHING_TO_DO);
        assertThat(rpm.changes()).isEmpty();
        assertThat(lines).singleElement().asString().contains("masked and left alone", "systemctl unmask");
    }

    @Test
    void installsThePackageOfAMaskedUnitOnly() throws Exception {
        rpm.masked();

        assertThat(apply()).isEqualTo(ProvisionResult.CHANGED);
        assertThat(rpm.changes()).containsExactly(DNF);
        assertThat(lines).last().asString().contains("masked and left alone");
    }

    @Test
    void doesNothingWhereItDoesNotManage() throws Exception {
        service = service(false, "nvidia-imex");

        assertThat(apply()).isEqualTo(ProvisionResult.NOTHING_TO_DO);
        assertThat(rpm.changes()).isEmpty();
        assertThat(lines).singleElement().asString().contains("imex.service.manage is false");
    }

    @Test
    void provisionsAnImageBuilderWithoutGpuLikeEveryOtherHost() throws Exception {
        host.without(GPU + "vendor");
        service = service(true, "nvidia-imex", "NVIDIA");

        assertThat(check()).isEqualTo(ProvisionResult.WOULD_CHANGE);
        assertThat(apply()).isEqualTo(ProvisionResult.CHANGED);

        assertThat(rpm.changes()).containsExactly(DNF, ENABLE);
        assertThat(lines).last().asString().contains("starts at the next boot, where the gate lets it");
    }

    @Test
    void leavesAHostWithoutGpuAloneWhereThatIsWantedAndAsksNobody() throws Exception {
        host.without(GPU + "vendor");
        onlyWithGpu = true;

        assertThat(apply()).isEqualTo(ProvisionResult.NOTHING_TO_DO);
        assertThat(rpm.run()).isEmpty();
        assertThat(lines).singleElement().asString().contains("no NVIDIA GPU on this host");
    }

    @Test
    void provisionsAHostWithAGpuWhereOnlyTheseAreWanted() throws Exception {
        onlyWithGpu = true;

        assertThat(apply()).isEqualTo(ProvisionResult.CHANGED);
        assertThat(rpm.changes()).containsExactly(DNF, ENABLE);
    }

    @Test
    void promisesNoGateWhereItIsSwitchedOff() throws Exception {
        service = ServiceSettings.service(false, List.of());

        assertThat(apply()).isEqualTo(ProvisionResult.CHANGED);
        assertThat(lines).last().asString().endsWith("it starts at the next boot");
    }

    @Test
    void doesNothingOnAMachineOfAnotherVendor() throws Exception {
        service = service(true, "nvidia-imex", "Microsoft Corporation");

        assertThat(apply()).isEqualTo(ProvisionResult.NOTHING_TO_DO);
        assertThat(rpm.run()).as("a host that is left alone may have no rpm").isEmpty();
        assertThat(lines).singleElement().asString().contains("NVIDIA", "imex.service.vendors");

        host.with("sys/class/dmi/id/sys_vendor", "Microsoft Corporation\n");
        assertThat(apply()).isEqualTo(ProvisionResult.CHANGED);
    }

    @Test
    void layersOnAnImageAndEnablesAfterTheReboot() throws Exception {
        anImage();

        assertThat(apply()).isEqualTo(ProvisionResult.CHANGED);
        assertThat(rpm.changes()).containsExactly(LAYER);
        assertThat(check()).isEqualTo(ProvisionResult.NOTHING_TO_DO);
        assertThat(lines).last().asString().contains("layered for the next boot");

        rpm.reboot();
        assertThat(apply()).isEqualTo(ProvisionResult.CHANGED);
        assertThat(rpm.changes()).containsExactly(LAYER, ENABLE);
    }

    @Test
    void tellsOfAnotherTransactionAndGoesOnAfterIt() throws Exception {
        anImage().busyWith("upgrade (download only)");

        assertThat(check()).isEqualTo(ProvisionResult.WOULD_CHANGE);
        assertThat(apply()).isEqualTo(ProvisionResult.FAILED);
        assertThat(lines)
                .last()
                .asString()
                .contains(
                        LAYER + " ended with 1:\nerror: Transaction in progress: upgrade (download only)",
                        "run imex-agent provision again once rpm-ostree status says idle");

        rpm.idleAndConnected();
        assertThat(apply()).isEqualTo(ProvisionResult.CHANGED);
    }

    @Test
    void aPackageThatAnotherHasLayeredMeanwhileIsNoFailure() throws Exception {
        anImage().layeredByAnother();

        assertThat(apply()).isEqualTo(ProvisionResult.CHANGED);
        assertThat(rpm.changes()).containsExactly(LAYER);
        assertThat(lines).last().asString().contains("layered for the next boot");
    }

    @Test
    void aPackageThatWasLayeredByAFileWaitsForTheReboot() throws Exception {
        anImage()
                .answering(
                        "rpm-ostree status",
                        new ProgramOutcome.Ended(
                                0,
                                "{\"deployments\":[{\"booted\":false,\"requested-packages\":[\"nvidia-imex-tools\"],"
                                        + "\"requested-local-packages\":[\"nvidia-imex-580.95.05-1.aarch64\"]}]}",
                                ""));

        assertThat(apply()).isEqualTo(ProvisionResult.NOTHING_TO_DO);
        assertThat(rpm.changes()).isEmpty();
        assertThat(lines).last().asString().contains("layered for the next boot");
    }

    @Test
    void tellsOfAnImageOfTheNextBootThatHasThePackage() throws Exception {
        anImage().inNextImage();

        assertThat(apply()).isEqualTo(ProvisionResult.FAILED);
        assertThat(lines)
                .last()
                .asString()
                .contains("ended with 1", "is already provided by", "run imex-agent provision again after that boot");

        rpm.reboot();
        assertThat(apply()).isEqualTo(ProvisionResult.CHANGED);
        assertThat(rpm.changes()).containsExactly(LAYER, ENABLE);
    }

    @Test
    void tellsThatTheRepositoriesAreOutOfReach() throws Exception {
        rpm.withoutNetwork();
        assertThat(apply()).isEqualTo(ProvisionResult.FAILED);
        assertThat(lines).last().asString().contains(DNF + " ended with 1", "Failed to download metadata");

        anImage();
        assertThat(apply()).isEqualTo(ProvisionResult.FAILED);
        assertThat(lines)
                .last()
                .asString()
                .contains(LAYER + " ended with 1", "error: Updating rpm-md repo 'baseos'", "Could not resolve host");

        rpm.idleAndConnected();
        assertThat(apply()).isEqualTo(ProvisionResult.CHANGED);
    }

    @Test
    void tellsOfAPackageThatNoRepositoryHas() throws Exception {
        anImage();
        service = service(true, "nvidia-imex-999");

        assertThat(apply()).isEqualTo(ProvisionResult.FAILED);
        assertThat(lines).last().asString().contains("ended with 1:\nerror: Packages not found: nvidia-imex-999");
    }

    @Test
    void tellsWhatThePackageManagerSaidWhenItFails() throws Exception {
        rpm.answering("dnf", new ProgramOutcome.Ended(1, "", "Error: Unable to find a match: nvidia-imex\n"));

        assertThat(apply()).isEqualTo(ProvisionResult.FAILED);
        assertThat(lines).singleElement().asString().contains("failed: " + DNF + " ended with 1", "Unable to find");
    }

    @Test
    void tellsOfAProgramThatHangsOrIsNotThere() throws Exception {
        rpm.answering("dnf", new ProgramOutcome.TimedOut(Duration.ofMinutes(30), Optional.empty()));
        assertThat(apply()).isEqualTo(ProvisionResult.FAILED);
        assertThat(lines).last().asString().contains("was ended after 30 min");

        rpm.answering("dnf", new ProgramOutcome.TimedOut(Duration.ofMinutes(30), Optional.of(4711L)));
        assertThat(apply()).isEqualTo(ProvisionResult.FAILED);
        assertThat(lines).last().asString().contains("still runs as process 4711");

        rpm.answering("dnf", new ProgramOutcome.NotStarted("No such file or directory"));
        assertThat(apply()).isEqualTo(ProvisionResult.FAILED);
        assertThat(lines).last().asString().contains("cannot run dnf", "way of this distribution");

        rpm.answering("rpm", new ProgramOutcome.NotStarted("No such file or directory"));
        assertThatIOException().isThrownBy(this::apply).withMessageContaining("cannot run rpm");
        rpm.answering("rpm", new ProgramOutcome.TimedOut(Duration.ofMinutes(1), Optional.empty()));
        assertThatIOException().isThrownBy(this::apply).withMessageContaining("did not end");
    }

    @Test
    void aStepWithoutAnEffectIsNotRepeatedForEver() throws Exception {
        rpm.answering("dnf", new ProgramOutcome.Ended(0, "Nothing to do.\n", ""));

        assertThat(apply()).isEqualTo(ProvisionResult.FAILED);
        assertThat(rpm.changes()).containsExactly(DNF);
        assertThat(lines).last().asString().contains("nothing has changed");
    }

    @Test
    void aPackageWithoutTheUnitIsAFailure() throws Exception {
        rpm.installed("disabled").withoutUnit();

        assertThat(apply()).isEqualTo(ProvisionResult.FAILED);
        assertThat(check()).isEqualTo(ProvisionResult.FAILED);
        assertThat(lines).last().asString().contains("brings no nvidia-imex.service", "imex.service.packageName");
    }

    @Test
    void readsEveryAnswerOfIsEnabled() {
        assertThat(HostState.unit("enabled\n", "")).contains(UnitFileState.ENABLED);
        assertThat(HostState.unit("static\n", "")).contains(UnitFileState.STATIC);
        assertThat(HostState.unit("disabled\n", "")).contains(UnitFileState.DISABLED);
        assertThat(HostState.unit("masked-runtime\n", "")).contains(UnitFileState.MASKED_RUNTIME);
        assertThat(HostState.unit("not-found\n", "")).isEmpty();
        assertThat(HostState.unit("", "Failed to get unit file state for x: No such file or directory\n"))
                .isEmpty();
        assertThat(HostState.unit("", "System has not been booted with systemd"))
                .contains(UnitFileState.UNKNOWN);
        assertThat(HostState.unit("", "")).contains(UnitFileState.UNKNOWN);
    }

    @Test
    void aWarningBesideTheAnswerOfIsEnabledDoesNotMatter() {
        String warning = "Warning: The unit file of x changed on disk, /etc/y: No such file or directory\n";

        assertThat(HostState.unit("enabled\n", warning)).contains(UnitFileState.ENABLED);
        assertThat(HostState.unit("disabled\n", warning)).contains(UnitFileState.DISABLED);
        assertThat(HostState.unit("masked\n", warning)).contains(UnitFileState.MASKED);
        assertThat(HostState.unit("bad\n", warning)).contains(UnitFileState.BAD);
    }

    @ParameterizedTest
    @ValueSource(strings = {"static", "indirect", "alias", "generated", "transient"})
    void aUnitThatCannotBeEnabledIsLeftAloneAndNotCalledEnabled(String state) throws Exception {
        rpm.installed(state);

        assertThat(apply()).isEqualTo(ProvisionResult.NOTHING_TO_DO);
        assertThat(rpm.changes()).isEmpty();
        assertThat(lines)
                .singleElement()
                .asString()
                .startsWith("nvidia-imex.service is left alone: ")
                .contains(UnitFileState.of(state).remedy());
    }

    @ParameterizedTest
    @ValueSource(strings = {"linked", "linked-runtime"})
    void aUnitWhoseFileIsLinkedIsEnabled(String state) throws Exception {
        rpm.installed(state);

        assertThat(apply()).isEqualTo(ProvisionResult.CHANGED);
        assertThat(rpm.changes()).containsExactly(ENABLE);
    }

    @Test
    void enablesAUnitThatIsEnabledUntilTheNextBootOnly() throws Exception {
        rpm.installed("enabled-runtime");

        assertThat(apply()).isEqualTo(ProvisionResult.CHANGED);
        assertThat(rpm.changes()).containsExactly(ENABLE);
    }

    @Test
    void aUnitIsTakenForWhatItIsThoughSystemctlWarns() throws Exception {
        rpm.installed("disabled")
                .answering("systemctl is-enabled", new ProgramOutcome.Ended(0, "enabled\n", "Warning: old\n"));

        assertThat(check()).isEqualTo(ProvisionResult.NOTHING_TO_DO);
    }

    @Test
    void refusesAnOstreeStatusThatIsNone() {
        assertThatIOException()
                .isThrownBy(() -> HostState.layersNextBoot("error: no", "nvidia-imex"))
                .withMessageContaining("rpm-ostree status");
    }

    private FakeRpmHost anImage() {
        host.with("run/ostree-booted", "");
        return rpm.ofAnImage();
    }

    private ProvisionResult apply() throws Exception {
        return provisioning().apply();
    }

    private ProvisionResult check() throws Exception {
        return provisioning().check();
    }

    private Provisioning provisioning() {
        return new Provisioning(service, host.root(), onlyWithGpu, rpm, lines::add);
    }

    private static ImexServiceSettings service(boolean manage, String name, String... vendors) {
        ImexServiceSettings defaults = ServiceSettings.service();
        return new ImexServiceSettings(
                manage,
                name,
                List.of(vendors),
                true,
                defaults.gpuNames(),
                defaults.pciDevices(),
                false,
                defaults.keepTrying());
    }
}
