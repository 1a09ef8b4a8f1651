package io.imexagent.imex.gate;

import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Gpu;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The gate's questions answered with what a daemon has just read: nothing waits, and NVML is not asked again. */
final class PresentQuestions implements GateQuestions {

    private final Machine machine;
    private final NvmlWords words;

    /**
     * Questions of this moment.
     *
     * @param root the folder under which {@code sys} of the host stands
     * @param driver the driver as it is now
     * @param gpus the GPUs as NVML sees them now
     */
    PresentQuestions(Path root, DriverState driver, List<Gpu> gpus) {
        this.machine = new Machine(root);
        this.words = new NvmlWords(driver, gpus);
    }

    @Override
    public Optional<String> vendor() throws IOException {
        return machine.vendor();
    }

    @Override
    public List<PciGpu> pciGpus() throws IOException {
        return machine.gpus();
    }

    @Override
    public boolean driverUp() {
        return words.driver() instanceof DriverState.Loaded;
    }

    @Override
    public NvmlWords nvml(Duration within) {
        return words;
    }

    /** No patience is left, so nobody waits. */
    @Override
    public void pause(Duration time) {
        throw new IllegalStateException("the gate waits though its time is over");
    }

    @Override
    public Duration elapsed() {
        return Gate.LIMIT;
    }
}
