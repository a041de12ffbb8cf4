import { realClock } from '../../src/async/clock.ts';
import type { Tenure, Processes } from '../../src/ports/processes.ts';
import { createEmbeddedQuota } from '../../src/store/quota.ts';

const tenureOf = (name: string, ended: AbortController): Tenure => ({
  name,
  epoch: 1,
  signal: ended.signal,
  isHeld: () => !ended.signal.aborted,
  assertHeld: () => ended.signal.throwIfAborted(),
  release: async () => ended.abort(),
});

/** One process alone, which has every name that it shares. */
export const createLoneProcess = (): Processes => {
  const numbers = new Map<string, number>();
  const watching = new Map<() => void, string>();
  return {
    isAlone: true,
    leases: {
      isAnyHeld: async () => false,
      acquire: async (name) => tenureOf(name, new AbortController()),
      share: (set, size, begin) => {
        const ended = new AbortController();
        const works = Array.from({ length: size }, (_, index) =>
          begin(tenureOf(`${set}:${index}`, ended)),
        );
        return {
          stopClaiming: () => undefined,
          [Symbol.asyncDispose]: async () => {
            await Promise.all(works.map((work) => work[Symbol.asyncDispose]()));
            ended.abort();
          },
        };
      },
      tell: () => undefined,
    },
    quota: createEmbeddedQuota(realClock),
    agreements: {
      agree: async (name, value) => {
        if (!numbers.has(name)) numbers.set(name, value);
        return numbers.get(name) ?? value;
      },
      replace: async (name, { former, value }) => {
        if (numbers.get(name) === former) numbers.set(name, value);
        return numbers.get(name) ?? value;
      },
      read: async (prefix) => new Map([...numbers].filter(([name]) => name.startsWith(prefix))),
      write: async (values) => {
        for (const [name, value] of Object.entries(values))
          if (value === undefined) numbers.delete(name);
          else numbers.set(name, value);
        for (const [look, prefix] of watching)
          if (Object.keys(values).some((name) => name.startsWith(prefix))) look();
      },
      watch: (prefix, look) => {
        watching.set(look, prefix);
        return () => void watching.delete(look);
      },
    },
  };
};
