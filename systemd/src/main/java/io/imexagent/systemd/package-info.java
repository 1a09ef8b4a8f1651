/** What a service owes systemd: readiness, status, the watchdog, and logs that the journal understands. */
@NullMarked
package io.imexagent.systemd;

import org.jspecify.annotations.NullMarked;
