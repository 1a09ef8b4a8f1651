/** Tests of the controller as a whole. */
@NullMarked
package io.imexagent.controller;

import org.jspecify.annotations.NullMarked;
