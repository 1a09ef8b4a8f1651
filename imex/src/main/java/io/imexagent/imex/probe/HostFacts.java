package io.imexagent.imex.probe;

import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.ChannelNode;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.ledger.BootId;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What the host's files say.
 *
 * @param channelMajor the device major of IMEX channels
 * @param channelCount how many channels the driver offers
 * @param channelNode the host's node of channel 0
 * @param bootId the running boot
 * @param vendor the DMI system vendor
 * @param findings what an operator should know of them
 */
record HostFacts(
        ChannelMajor channelMajor,
        OptionalInt channelCount,
        ChannelNode channelNode,
        Optional<BootId> bootId,
        Optional<String> vendor,
        List<Finding> findings) {

    HostFacts {
        findings = List.copyOf(findings);
    }
}
