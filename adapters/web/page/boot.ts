import type { Boot, PageKey, Params } from '../protocol.ts';

/** The server's data in the page: texts, commands, limits. */
export const boot = JSON.parse(document.querySelector('#boot')?.textContent ?? '{}') as Boot;

/** One sentence in the reader's language. */
export const t = (key: PageKey, params: Params = {}): string =>
  (boot.texts[key] ?? key).replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    name in params ? String(params[name]) : whole,
  );

/** The parts of a sentence in their order, with `values` in place of its placeholders. */
export const sentenceParts = (
  key: PageKey,
  values: Readonly<Record<string, unknown>>,
): readonly unknown[] =>
  (boot.texts[key] ?? key)
    .split(/\{(\w+)\}/)
    .map((part, index) => (index % 2 === 0 ? part : values[part]));
