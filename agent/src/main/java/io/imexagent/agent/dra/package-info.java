/** The kubelet's services on Unix sockets: registration, prepare and unprepare, device health. */
@NullMarked
package io.imexagent.agent.dra;

import org.jspecify.annotations.NullMarked;
