import { ContractError } from './errors.ts';

/** Decodes the content of a JSON string, in chunks of any size. */
export interface AudioTextDecoder {
  push(bytes: Buffer): Buffer;
  end(): void;
}

/** Longest beginning of a `data:` URL, up to its comma. */
const LONGEST_URL_START = 256;
const URL_SCHEME = 'data:';

const invalid = (message: string): ContractError => new ContractError('ErrInvalidAudio', message);

/**
 * Creates a decoder of base64. It throws a 400 for anything else.
 *
 * @param name the field, for errors
 */
export const createBase64Decoder = (name: string): AudioTextDecoder => {
  const notBase64 = (): ContractError => invalid(`${name} is not valid base64.`);
  let rest = '';
  let ended = false;
  return {
    push: (bytes) => {
      let text = rest + bytes.toString('latin1');
      // Some JSON writers escape "/" and "+"; an escape can be cut at the end.
      const cut = /\\(?:u[0-9a-fA-F]{0,3})?$/.exec(text)?.[0] ?? '';
      text = text.slice(0, text.length - cut.length);
      if (text.includes('\\'))
        text = text
          .replace(/\\u00([0-9a-fA-F]{2})/g, (_, hex: string) =>
            String.fromCharCode(Number.parseInt(hex, 16)),
          )
          .replaceAll('\\/', '/');
      if (text !== '' && (ended || !/^[A-Za-z0-9+/]*={0,2}$/.test(text))) throw notBase64();
      const whole = text.slice(0, text.length - (text.length % 4));
      ended ||= whole.endsWith('=');
      rest = text.slice(whole.length) + cut;
      return Buffer.from(whole, 'base64');
    },
    end: () => {
      if (rest !== '') throw notBase64();
    },
  };
};

/** Creates a decoder of a `data:` URL (RFC 2397) in base64; nothing is fetched from any other. */
export const createDataUrlDecoder = (name: string): AudioTextDecoder => {
  const base64 = createBase64Decoder(name);
  const notDataUrl = (): ContractError =>
    invalid(`${name} must be a URL that begins with data: and holds base64.`);
  /** The URL up to its comma; undefined once that is behind. */
  let start: string | undefined = '';
  return {
    push: (bytes) => {
      if (start === undefined) return base64.push(bytes);
      const comma = bytes.indexOf(',');
      start += bytes.toString('latin1', 0, comma < 0 ? LONGEST_URL_START : comma);
      const scheme = start.slice(0, URL_SCHEME.length).toLowerCase();
      if (!URL_SCHEME.startsWith(scheme) || start.length > LONGEST_URL_START) throw notDataUrl();
      if (comma < 0) return Buffer.alloc(0);
      if (scheme !== URL_SCHEME || !/;base64$/i.test(start)) throw notDataUrl();
      start = undefined;
      return base64.push(bytes.subarray(comma + 1));
    },
    end: () => {
      if (start !== undefined) throw notDataUrl();
      base64.end();
    },
  };
};
