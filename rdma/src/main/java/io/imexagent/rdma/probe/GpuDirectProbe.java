package io.imexagent.rdma.probe;

import io.imexagent.rdma.inventory.GpuDirect;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds out how NICs can reach the memory of GPUs. */
final class GpuDirectProbe {

    private static final Pattern RELEASE = Pattern.compile("([0-9]{1,4})\\.([0-9]{1,4}).*");
    private static final int DMA_BUF_MAJOR = 5;
    private static final int DMA_BUF_MINOR = 12;

    private GpuDirectProbe() {}

    static GpuDirect read(HostFiles files) {
        Optional<String> release = files.optional("proc/sys/kernel/osrelease");
        Optional<String> driver = files.optional("proc/driver/nvidia/version");
        boolean open =
                driver.filter(text -> text.contains("Open Kernel Module")).isPresent();
        boolean recent = release.filter(GpuDirectProbe::hasDmaBuf).isPresent();
        if (open && recent) {
            return new GpuDirect.DmaBuf("kernel " + release.orElse("") + ", open kernel modules");
        }
        Optional<String> peermem = files.optional("sys/module/nvidia_peermem/version");
        if (peermem.isPresent()) {
            return new GpuDirect.Peermem("nvidia_peermem " + peermem.get() + " is loaded");
        }
        String dmaBuf = driver.isEmpty()
                ? "the NVIDIA driver is not loaded"
                : open
                        ? "kernel " + release.orElse("not told") + " is older than 5.12"
                        : "the NVIDIA driver is not that of the open kernel modules";
        return new GpuDirect.None("no dma-buf: " + dmaBuf + "; no peermem: nvidia_peermem is not loaded");
    }

    /** Whether the kernel is 5.12 or later. */
    static boolean hasDmaBuf(String release) {
        Matcher matcher = RELEASE.matcher(release);
        if (!matcher.matches()) {
            return false;
        }
        int major = Integer.parseInt(matcher.group(1));
        return major > DMA_BUF_MAJOR || (major == DMA_BUF_MAJOR && Integer.parseInt(matcher.group(2)) >= DMA_BUF_MINOR);
    }
}
