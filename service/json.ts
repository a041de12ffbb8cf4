/** Parses `text` as JSON; throws the error that `refuse` creates for anything else. */
export const parseJson = (text: string, refuse: () => Error): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw refuse();
  }
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Longest key that is kept whole; no longer one is looked for. */
const LONGEST_KEY_BYTES = 32;

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
  #key = '';

  /** The deepest nesting of objects and arrays so far. */
  get deepest(): number {
    return this.#deepest;
  }

  /** Upper bound of the number of objects, arrays and values so far. */
  get values(): number {
    return this.#containers + this.#commas + 1;
  }

  get inString(): boolean {
    return this.#inString;
  }

  /** The key of the outermost object whose value comes next, as written. */
  get awaited(): string | undefined {
    return this.#afterColon && this.#depth === 1 ? this.#key : undefined;
  }

  step(byte: number): void {
    if (this.#inString) this.#stepInString(byte);
    else if (byte === QUOTE) {
      this.#inString = true;
      this.#afterColon = false;
      if (this.#expectsKey) this.#key = '';
    } else if (OPENING.has(byte)) {
      this.#depth += 1;
      this.#deepest = Math.max(this.#deepest, this.#depth);
      this.#containers += 1;
      this.#expectsKey = this.#depth === 1;
      this.#afterColon = false;
    } else if (CLOSING.has(byte)) this.#depth -= 1;
    else if (byte === COMMA) {
      this.#commas += 1;
      this.#expectsKey = this.#depth === 1;
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

  #stepInString(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) {
      this.#inString = false;
      return;
    }
    if (this.#expectsKey && this.#depth === 1 && this.#key.length < LONGEST_KEY_BYTES)
      this.#key += String.fromCharCode(byte);
  }
}
