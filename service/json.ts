import { invalidRequest } from './errors.ts';

/** Parses `text` as JSON; throws the error that `refuse` creates for anything else. */
export const parseJson = (text: string, refuse: () => Error): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw refuse();
  }
};

export const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_OBJECT = 0x7b;
const OPENING = new Set([0x5b, OPENING_OBJECT]);
const CLOSING = new Set([0x5d, 0x7d]);
const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Longest key that is kept whole; no longer one is looked for. */
const LONGEST_KEY_BYTES = 32;
/** Deepest container whose keys are kept; none below is looked for. */
const DEEPEST_KEYS = 8;

/** Deepest nesting: conversations and tools are flat, and deeper JSON only costs time. */
const MAX_DEPTH = 64;
/** Most values, some 5,000 messages: keeps parsing and validation under 10 ms. */
const MAX_VALUES = 20_000;

/** Tracks the structure of a JSON object byte by byte; leaves errors to the parser. */
export class JsonCursor {
  #depth = 0;
  #deepest = 0;
  #containers = 0;
  #commas = 0;
  #inString = false;
  #escaped = false;
  #expectsKey = false;
  #afterColon = false;
  /** The containers that are open, with the last key of each object. */
  readonly #open: { readonly isObject: boolean; key: string }[] = [];

  /** Throws a 400 once there is more to parse than any request needs. */
  assertSimple(): void {
    if (this.#deepest > MAX_DEPTH || this.#containers + this.#commas >= MAX_VALUES)
      throw invalidRequest('The request body is too deep or has too many parts.');
  }

  get inString(): boolean {
    return this.#inString;
  }

  /** True when the value at these keys comes next; arrays on the way to it do not count. */
  awaits(keys: readonly string[]): boolean {
    if (!this.#afterColon || !this.#isKept) return false;
    let at = 0;
    for (const { isObject, key } of this.#open)
      if (isObject) {
        if (key !== keys[at]) return false;
        at += 1;
      }
    return at === keys.length;
  }

  step(byte: number): void {
    if (this.#inString) this.#stepInString(byte);
    else if (byte === QUOTE) {
      this.#inString = true;
      this.#afterColon = false;
      if (this.#expectsKey) this.#open.at(-1)!.key = '';
    } else if (OPENING.has(byte)) {
      this.#depth += 1;
      this.#deepest = Math.max(this.#deepest, this.#depth);
      this.#containers += 1;
      this.#afterColon = false;
      if (this.#depth <= DEEPEST_KEYS)
        this.#open.push({ isObject: byte === OPENING_OBJECT, key: '' });
      this.#expectsKey = this.#isKept && byte === OPENING_OBJECT;
    } else if (CLOSING.has(byte)) {
      this.#depth -= 1;
      if (this.#open.length > this.#depth) this.#open.pop();
      this.#expectsKey = false;
      this.#afterColon = false;
    } else if (byte === COMMA) {
      this.#commas += 1;
      this.#expectsKey = this.#isKept && this.#open.at(-1)?.isObject === true;
    } else if (byte === COLON) {
      this.#expectsKey = false;
      this.#afterColon = true;
    } else if (!SPACES.has(byte)) this.#afterColon = false;
  }

  /** Finds the next byte that matters, which are few in long strings: those before need no step. */
  next(bytes: Uint8Array, from: number): number {
    if (!this.#inString || this.#escaped || this.#expectsKey) return from;
    let at = from;
    while (at < bytes.length && bytes[at] !== QUOTE && bytes[at] !== BACKSLASH) at += 1;
    return at;
  }

  /** Ends the string that the last byte began, when its content is read by other code. */
  leaveString(): void {
    this.#inString = false;
  }

  get #isKept(): boolean {
    return this.#open.length === this.#depth;
  }

  #stepInString(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) {
      this.#inString = false;
      return;
    }
    if (!this.#expectsKey) return;
    const container = this.#open.at(-1)!;
    if (container.key.length < LONGEST_KEY_BYTES) container.key += String.fromCharCode(byte);
  }
}
