package io.imexagent.imex.gate;

import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.imex.gate.Machine.PciGpu;
import io.imexagent.imex.probe.NvmlProbe.NvmlFacts;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A host in the making, whose time passes only while the gate waits. It remembers what it was asked. */
final class FakeQuestions implements Gate.Questions {

    private final List<String> asked = new ArrayList<>();
    private Optional<String> vendor = Optional.of("NVIDIA");
    private List<PciGpu> onBus = List.of();
    private Optional<IOException> broken = Optional.empty();
    private Duration driverUpAfter = Duration.ZERO;
    private NvmlFacts words = new NvmlFacts(
            new DriverState.Absent("no library"), List.of(), new CliqueState.Unknown("no driver"), List.of());
    private Duration nvmlTakes = Duration.ZERO;
    private Duration elapsed = Duration.ZERO;

    FakeQuestions vendor(String name) {
        vendor = Optional.of(name).filter(text -> !text.isEmpty());
        return this;
    }

    FakeQuestions onBus(String... devices) {
        onBus = List.of(devices).stream()
                .map(device -> new PciGpu("0008:01:00.0", device))
                .toList();
        return this;
    }

    FakeQuestions unreadable(String why) {
        broken = Optional.of(new IOException(why));
        return this;
    }

    FakeQuestions driverUpAfter(Duration time) {
        driverUpAfter = time;
        return this;
    }

    FakeQuestions nvml(NvmlFacts said) {
        words = said;
        return this;
    }

    FakeQuestions nvmlTakes(Duration time) {
        nvmlTakes = time;
        return this;
    }

    List<String> asked() {
        return asked.stream().distinct().toList();
    }

    @Override
    public Machine machine() {
        throw new IllegalStateException("the fake answers for the machine");
    }

    @Override
    public Optional<String> vendor() throws IOException {
        asked.add("vendor");
        return vendor;
    }

    @Override
    public List<PciGpu> pciGpus() throws IOException {
        asked.add("pci");
        if (broken.isPresent()) {
            throw broken.get();
        }
        return onBus;
    }

    @Override
    public boolean driverUp() {
        asked.add("driver");
        return elapsed.compareTo(driverUpAfter) >= 0;
    }

    @Override
    public NvmlFacts nvml(Duration within) {
        asked.add("nvml");
        if (nvmlTakes.compareTo(within) > 0) {
            elapsed = elapsed.plus(within);
            return NvmlFacts.failing("no answer");
        }
        elapsed = elapsed.plus(nvmlTakes);
        return words;
    }

    @Override
    public void pause(Duration time) {
        elapsed = elapsed.plus(time);
    }

    @Override
    public Duration elapsed() {
        return elapsed;
    }
}
