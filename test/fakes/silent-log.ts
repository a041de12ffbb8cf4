import { createLog } from '../../src/telemetry/log.ts';

/** A log that writes nothing. Making one takes a millisecond, so that all tests of a process share it. */
export const silentLog = createLog('silent');
