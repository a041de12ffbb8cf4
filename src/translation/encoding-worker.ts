/** Detects the encoding of the bytes in `workerData` and posts its name; null where there is none. */
import { parentPort, workerData } from 'node:worker_threads';
import { chardet } from 'jschardet';

const { encoding } = chardet.detect(workerData as Uint8Array, {
  encodingEra: chardet.EncodingEra.MODERN_WEB,
});
parentPort?.postMessage(encoding, []);
