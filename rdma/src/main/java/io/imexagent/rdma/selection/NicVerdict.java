package io.imexagent.rdma.selection;

import io.imexagent.rdma.inventory.NicReading;

/**
 * What was decided about one NIC.
 *
 * @param reading the NIC
 * @param nicClass what it is for
 * @param choice whether it is offered
 */
public record NicVerdict(NicReading reading, NicClass nicClass, Choice choice) {}
