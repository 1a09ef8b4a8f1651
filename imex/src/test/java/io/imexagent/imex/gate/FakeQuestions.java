package io.imexagent.imex.gate;

import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.PciAddress;
import io.imexagent.imex.probe.Machine;
import io.imexagent.imex.probe.Machine.PciGpu;
import io.imexagent.imex.probe.NvmlProbe.NvmlFacts;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** A host in the making, whose time passes only while the gate waits. It remembers what it was asked. */
final class FakeQuestions implements Gate.Questions {

    /** What NVML says from a time on, and how long it takes for that. */
    private record Later(Duration from, NvmlFacts words, Duration takes) {}

    private final List<String> asked = new ArrayList<>();
    private Optional<String> vendor = Optional.of("NVIDIA");
    private List<PciGpu> onBus = List.of();
    private Optional<IOException> broken = Optional.empty();
    private Duration driverUpAfter = Duration.ZERO;
    private NvmlFacts words = new NvmlFacts(
            new DriverState.AbsentDriver("no library"),
            List.of(),
            new CliqueState.UnknownClique("no driver"),
            List.of());
    private Duration nvmlTakes = Duration.ZERO;
    private Optional<Later> later = Optional.empty();
    private Duration elapsed = Duration.ZERO;

    FakeQuestions vendor(String name) {
        vendor = Optional.of(name).filter(text -> !text.isEmpty());
        return this;
    }

    /** GPUs at {@code 0000:06:00.0}, {@code 0001:06:00.0} and so on. */
    FakeQuestions onBus(String... devices) {
        onBus = IntStream.range(0, devices.length)
                .mapToObj(index -> new PciGpu(
                        new PciAddress(index, 6, 0, 0).toString(), devices[index], Optional.of("nvidia"), false))
                .toList();
        return this;
    }

    /** The same, with the kernel's driver that has each; empty where none has. */
    FakeQuestions boundTo(String... drivers) {
        onBus = IntStream.range(0, drivers.length)
                .mapToObj(index -> new PciGpu(
                        onBus.get(index).address(),
                        onBus.get(index).device(),
                        Optional.of(drivers[index]).filter(driver -> !driver.isEmpty()),
                        false))
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

    FakeQuestions nvmlFrom(Duration time, NvmlFacts said, Duration takes) {
        later = Optional.of(new Later(time, said, takes));
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
        Optional<Later> now = later.filter(said -> elapsed.compareTo(said.from()) >= 0);
        Duration takes = now.map(Later::takes).orElse(nvmlTakes);
        if (takes.compareTo(within) > 0) {
            elapsed = elapsed.plus(within);
            return NvmlFacts.failing("no answer");
        }
        elapsed = elapsed.plus(takes);
        return now.map(Later::words).orElse(words);
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
