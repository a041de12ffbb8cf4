import { startBackEnd } from './back-end.ts';

/** Codes of a public server, as it lists them since 2025. */
const CODES =
  'en sq ar az eu bn bg ca zh-Hans zh-Hant cs da nl eo et fi fr gl de el he hi hu id ga it ja ko ky lv lt ms nb fa pl pt pt-BR ro ru sr sk sl es sv tl th tr uk ur vi'.split(
    ' ',
  );
const OTHER_NAMES: Readonly<Record<string, string>> = { pb: 'pt-BR', zh: 'zh-Hans', zt: 'zh-Hant' };

export interface FakeLibreTranslateOptions {
  readonly key?: string;
  /** Most characters of a text, and most texts of a request; -1 for any number. */
  readonly charLimit?: number;
  readonly batchLimit?: number;
  /** Translates a text. Default: in capitals; brackets of tokens are unknown to its models and vanish. */
  readonly translate?: (text: string) => string;
}

/** The limits and errors of LibreTranslate 1.8 (libretranslate/app.py). */
export const startFakeLibreTranslate = async ({
  key,
  charLimit = 2_000,
  batchLimit = -1,
  translate = (text) => text.replaceAll(/[⟦⟧]/gu, '').toUpperCase(),
}: FakeLibreTranslateOptions = {}) => {
  let codes: readonly string[] = CODES;
  const error = (status: number, text: string) => ({ status, json: { error: text } });
  const tooLong = (size: number, limit: number) =>
    error(400, `Invalid request: request (${size}) exceeds text limit (${limit})`);
  const server = await startBackEnd(({ path, body }) => {
    if (path === '/languages')
      return {
        json: codes.map((code) => ({
          code,
          name: code,
          targets: codes.filter((target) => target !== code),
        })),
      };
    if (path === '/frontend/settings') return { json: { charLimit, apiKeys: key !== undefined } };
    if (path !== '/translate') return error(404, 'Not Found');
    const { q = '', source, target, format, api_key: given } = body;
    if (key !== undefined && given !== key) return error(403, 'Invalid API key');
    const texts = [q].flat().map(String);
    if (Array.isArray(q) && batchLimit !== -1 && q.length > batchLimit)
      return tooLong(q.length, batchLimit);
    const long = texts.find((text) => charLimit !== -1 && text.length > charLimit);
    if (long !== undefined) return tooLong(long.length, charLimit);
    for (const code of [source, target])
      if (!codes.includes(OTHER_NAMES[String(code)] ?? String(code)))
        return error(400, `${String(code)} is not supported`);
    if (format !== 'text' && format !== 'html') return error(400, 'format is not supported');
    const made = texts.map(translate);
    return { json: { translatedText: Array.isArray(q) ? made : made[0] } };
  });
  return {
    ...server,
    /** Changes which languages are installed. */
    install: (installed: readonly string[]): void => {
      codes = installed;
    },
  };
};
