import { freemem } from 'node:os';
import { realClock, type Clock } from '../../../src/async/clock.ts';
import { AppError } from '../../../src/errors.ts';
import { createChild, type Child } from '../../../src/process/child.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import { megabytes } from '../../models/disk.ts';
import type { ChatModel } from './model.ts';
import type { LlamaConfig, LlamaReply, LlamaRequest } from './protocol.ts';

/** Longest time of a call, after which its process is killed; a request lasts ten minutes at most. */
const CALL_TIMEOUT_MS = 660_000;
/** Longest time that a call keeps others waiting once its asker has left: some vectors cannot be left half made. */
const LEFT_TIMEOUT_MS = 10_000;
/** Idle time after which a process is ended, which frees its memory. */
const IDLE_MS = 10 * 60_000;
/** Memory that a process takes beside its model and its conversations. */
const OWN_BYTES = 300e6;
/** Time within which a second crash ends the use of a model, and for how long. */
const CRASHES_MS = 60_000;
const BROKEN_MS = 10 * 60_000;

/** Memory that may be taken now, in bytes. */
export const freeMemory = (): number => process.availableMemory?.() ?? freemem();

export interface ProcessOptions {
  readonly worker: URL;
  readonly log: Log;
  /** Conversations of a model at the same time. */
  readonly sequences: number;
  /** The most tokens of prompt and reply together. */
  readonly contextTokens: number;
  /** Memory that may be taken now, in bytes. */
  readonly freeBytes: () => number;
  readonly clock?: Clock;
}

interface ModelProcess {
  readonly child: Child<LlamaRequest, LlamaReply, string>;
  readonly needsBytes: number;
  calls: number;
  /** True until the end of a first call, before which a process has not taken all of its memory. */
  isLoading: boolean;
  crashedAtMs: number;
  brokenUntilMs: number;
  said: string;
}

/** A file of another size is another model. */
const keyOf = ({ path, bytes }: ChatModel): string => `${bytes} ${path}`;

export type LlamaProcesses = ReturnType<typeof createProcesses>;

/** Processes with language models, one a model: each is started by its first call, when there is memory for it. */
export const createProcesses = (options: ProcessOptions) => {
  const { worker, log, sequences, freeBytes, clock = realClock } = options;
  const processes = new Map<string, ModelProcess>();
  let packageFolder = '';

  const contextTokensOf = ({ trainedTokens }: ChatModel): number =>
    Math.min(options.contextTokens, trainedTokens);

  const noteCrash = (model: ModelProcess, said: string): void => {
    const nowMs = clock.nowMs();
    if (nowMs - model.crashedAtMs < CRASHES_MS) model.brokenUntilMs = nowMs + BROKEN_MS;
    model.crashedAtMs = nowMs;
    model.said = said;
  };

  const processOf = (model: ChatModel): ModelProcess => {
    const { path, bytes, tokenBytes } = model;
    const contextTokens = contextTokensOf(model);
    const config: LlamaConfig = { packageFolder, path, contextTokens, sequences };
    const found = processes.get(keyOf(model));
    if (found) return found;
    const created: ModelProcess = {
      child: createChild({
        name: 'llama',
        file: worker,
        args: [JSON.stringify(config)],
        log,
        callTimeoutMs: CALL_TIMEOUT_MS,
        leftTimeoutMs: LEFT_TIMEOUT_MS,
        callsPerChild: Infinity,
        idleMs: IDLE_MS,
        concurrent: sequences,
        tellsErrors: true,
        onDeath: (said) => noteCrash(created, said),
      }),
      needsBytes: bytes + tokenBytes * contextTokens * sequences + OWN_BYTES,
      calls: 0,
      isLoading: false,
      crashedAtMs: -Infinity,
      brokenUntilMs: -Infinity,
      said: '',
    };
    processes.set(keyOf(model), created);
    return created;
  };

  const needsOf = (some: readonly ModelProcess[]): number =>
    some.reduce((sum, { needsBytes }) => sum + needsBytes, 0);
  /** Memory that is free, and not for a process that takes it just now. */
  const freeBytesNow = (): number =>
    freeBytes() - needsOf([...processes.values()].filter(({ isLoading }) => isLoading));
  /** Processes whose memory may be taken for another model. */
  const idleBeside = (own: ModelProcess): readonly ModelProcess[] =>
    [...processes.values()].filter(
      (other) => other !== own && other.child.isRunning && other.calls === 0,
    );

  const faultOf = (own: ModelProcess): string | undefined => {
    const leftMs = own.brokenUntilMs - clock.nowMs();
    if (leftMs > 0)
      return `it crashed twice within a minute${own.said && ` (${own.said})`}, and is tried again in ${Math.ceil(leftMs / 60_000)} min`;
    if (own.child.isRunning) return undefined;
    const free = Math.max(0, freeBytesNow() + needsOf(idleBeside(own)));
    return own.needsBytes <= free
      ? undefined
      : `it needs ${megabytes(own.needsBytes)} of memory, and ${megabytes(free)} are free`;
  };

  return {
    contextTokensOf,
    /** Says why a model can't be used now; undefined for one that can. */
    faultOf: (model: ChatModel): string | undefined => faultOf(processOf(model)),
    /** Asks a model. Rejects with `unavailable` where it can't be used now. */
    call: async (
      model: ChatModel,
      request: LlamaRequest,
      signal: AbortSignal,
      onPart?: (text: string) => void,
    ): Promise<LlamaReply> => {
      const own = processOf(model);
      for (const other of idleBeside(own))
        if (!own.child.isRunning && own.needsBytes > freeBytesNow()) await other.child.stop();
      const fault = faultOf(own);
      if (fault !== undefined)
        throw new AppError('unavailable', `${model.name}: ${fault}`, { retryable: true });
      own.calls += 1;
      own.isLoading ||= !own.child.isRunning;
      try {
        return await own.child.call(request, signal, onPart);
      } finally {
        own.calls -= 1;
        own.isLoading = false;
      }
    },
    /** Ends the processes of all models but these; `folder` has the library that they run in. */
    keep: (models: readonly ChatModel[], folder: string): void => {
      packageFolder = folder;
      const keys = new Set(models.map(keyOf));
      for (const [key, { child }] of processes) {
        if (keys.has(key)) continue;
        processes.delete(key);
        void child[Symbol.asyncDispose]();
      }
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      await Promise.all([...processes.values()].map(({ child }) => child[Symbol.asyncDispose]()));
    },
  };
};
