import { commonCode } from '../language.ts';

/** Codes of LibreTranslate that stand for other languages elsewhere. */
export const LIBRE_CODES: Readonly<Record<string, string>> = { zt: 'zh-Hant', pb: 'pt-BR' };

const localeOf = (code: string): Intl.Locale | undefined => {
  try {
    return new Intl.Locale(LIBRE_CODES[code.toLowerCase()] ?? code.replaceAll('_', '-'));
  } catch {
    return undefined;
  }
};

/**
 * Finds a server's code for a language: one of its language and script, best with its region, or the
 * usual one of the language (`EN-US` for `en`).
 *
 * @param listed codes as a server lists them, in any case
 * @param wanted BCP 47 code
 */
export const findListed = (listed: readonly string[], wanted: string): string | undefined => {
  const asked = localeOf(wanted);
  if (!asked) return undefined;
  const sought = asked.maximize();
  const rankOf = (code: string): number => {
    const locale = localeOf(code);
    const full = locale?.maximize();
    if (!locale || !full || full.script !== sought.script) return Infinity;
    if (commonCode(locale.language) !== commonCode(sought.language)) return Infinity;
    if (locale.region === asked.region) return 0;
    return full.region === sought.region ? 1 : 2;
  };
  const [best] = listed.toSorted((a, b) => rankOf(a) - rankOf(b));
  return best !== undefined && rankOf(best) < Infinity ? best : undefined;
};
