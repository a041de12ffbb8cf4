import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';

type Open<T> = () => T | Promise<T>;

const dispose = async (opened: Partial<AsyncDisposable & Disposable>): Promise<void> => {
  await opened[Symbol.asyncDispose]?.();
  opened[Symbol.dispose]?.();
};

/** Stands for what is open at the time of each use. A class's methods get the object itself as `this`, for its `#fields`. */
const standIn = <T extends object>(current: () => T): T =>
  new Proxy({} as T, {
    get: (_, name) => {
      const opened = current();
      const value: unknown = Reflect.get(opened, name);
      return typeof value === 'function' && !Object.hasOwn(opened, name)
        ? (value.bind(opened) as unknown)
        : value;
    },
    set: (_, name, value) => Reflect.set(current(), name, value),
    has: (_, name) => Reflect.has(current(), name),
    ownKeys: () => Reflect.ownKeys(current()),
    // A stand-in owns nothing itself, so nothing of it may be said to be fixed.
    getOwnPropertyDescriptor: (_, name) => {
      const found = Reflect.getOwnPropertyDescriptor(current(), name);
      return found && { ...found, configurable: true };
    },
  });

const openedAt =
  (before: typeof beforeAll, after: typeof afterAll) =>
  <T extends object>(open: Open<T>): T => {
    let opened: T | undefined;
    before(async () => {
      opened = await open();
    });
    after(() => opened && dispose(opened));
    return standIn(() => opened!);
  };

/** What `open` makes, once for the tests of a file or of the `describe` around the call. It is disposed of after them. */
export const shared = openedAt(beforeAll, afterAll);

/** What `open` makes, anew for each test of a file or of the `describe` around the call. It is disposed of after each. */
export const fresh = openedAt(beforeEach, afterEach);
