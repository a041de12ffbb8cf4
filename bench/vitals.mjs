// Loaded into a process that is measured: at each SIGUSR2 it writes down how it is, its garbage left out; with
// VITALS_COLLECT_EVERY only each so many times, and with its garbage at the others.
import { appendFileSync } from 'node:fs';
import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapCodeStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const MB = 1_048_576;
const NS_PER_MS = 1_000_000;
const RESOLUTION_MS = 10;
/** What was collected is told of a moment later. */
const COLLECTED_MS = 100;

const file = process.env.VITALS_FILE;
const collectEvery = Number(process.env.VITALS_COLLECT_EVERY ?? 1);
let asked = 0;
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delays.enable();

/**
 * Delays as far as the main thread itself was busy meanwhile, in μs: on a crowded machine it also waits for a processor.
 */
const ownDelays = createHistogram();
const US_PER_MS = 1_000;
const busyUs = () => {
  const { user, system } = process.threadCpuUsage();
  return user + system;
};
let seen;
/** False while this module itself does what takes time. */
let isMeasuring = true;
setInterval(() => {
  if (!isMeasuring) return;
  const now = { atMs: performance.now(), busyUs: busyUs() };
  if (seen) {
    const lateUs = (now.atMs - seen.atMs - RESOLUTION_MS) * US_PER_MS;
    ownDelays.record(Math.max(1, Math.round(Math.min(lateUs, now.busyUs - seen.busyUs))));
  }
  seen = now;
}, RESOLUTION_MS).unref();

/** Timers that wait, also those that keep no process alive. */
const timers = new Set();
const { setTimeout: begin, clearTimeout: end } = globalThis;
globalThis.setTimeout = Object.assign((run, ms, ...given) => {
  const timer = begin(
    (...values) => {
      timers.delete(timer);
      run(...values);
    },
    ms,
    ...given,
  );
  timers.add(timer);
  return timer;
}, begin);
globalThis.clearTimeout = (timer) => {
  timers.delete(timer);
  end(timer);
};

let instances = 0;
const collected = new FinalizationRegistry(() => {
  instances -= 1;
});
/** Memories of WebAssembly, which count as external memory: a library has its own from its first use on. */
const memories = new Set();
const bytesOfMemories = () => {
  let bytes = 0;
  for (const reference of memories) {
    const memory = reference.deref();
    if (memory) bytes += memory.buffer.byteLength;
    else memories.delete(reference);
  }
  return bytes;
};
const count = (instance) => {
  instances += 1;
  for (const exported of Object.values(instance.exports))
    if (exported instanceof WebAssembly.Memory) memories.add(new WeakRef(exported));
  collected.register(instance);
};
const { instantiate, Instance } = WebAssembly;
WebAssembly.instantiate = async (...given) => {
  const made = await instantiate(...given);
  count(made.instance ?? made);
  return made;
};
WebAssembly.Instance = new Proxy(Instance, {
  construct(target, given) {
    const made = new target(...given);
    count(made);
    return made;
  },
});

/** What V8 has compiled lies on the heap too, and grows for as long as more code becomes hot. */
const bytesOfCode = () => {
  const { code_and_metadata_size: machine, bytecode_and_metadata_size: bytecode } =
    getHeapCodeStatistics();
  return machine + bytecode;
};

const faults = [];
const write = (isCollected = false) => {
  const { heapUsed, external, rss } = process.memoryUsage();
  const handles = {};
  for (const kind of process.getActiveResourcesInfo()) handles[kind] = (handles[kind] ?? 0) + 1;
  const vitals = {
    isCollected,
    heapMb: heapUsed / MB,
    codeMb: isCollected ? bytesOfCode() / MB : undefined,
    externalMb: external / MB,
    wasmMb: bytesOfMemories() / MB,
    rssMb: rss / MB,
    p99Ms: Math.max(0, delays.percentile(99) / NS_PER_MS - RESOLUTION_MS),
    worstMs: Math.max(0, delays.max / NS_PER_MS - RESOLUTION_MS),
    ownP99Ms: ownDelays.percentile(99) / US_PER_MS,
    ownWorstMs: ownDelays.max / US_PER_MS,
    timers: timers.size,
    instances,
    handles,
    faults,
  };
  delays.reset();
  delays.enable();
  seen = undefined;
  isMeasuring = true;
  ownDelays.reset();
  appendFileSync(file, `${JSON.stringify(vitals)}\n`);
};
process.on('uncaughtExceptionMonitor', (error) => {
  faults.push(String(error?.stack ?? error));
  write();
});
process.on('SIGUSR2', () => {
  delays.disable();
  isMeasuring = false;
  asked += 1;
  if (asked % collectEvery !== 0) return write();
  collect();
  begin(() => {
    collect();
    write(true);
  }, COLLECTED_MS);
});
