/** Endings of file names. Words that may follow a full stop without a space are left out. */
const ENDINGS =
  'txt|md|rtf|pdf|docx?|odt|xlsx?|ods|csv|tsv|pptx?|odp|json5?|jsonl|ya?ml|toml|ini|cfg|conf|xml|html?|s?css|' +
  '[cm]?[jt]s|[jt]sx|vue|py|ipynb|rb|rs|java|kt|swift|cpp|hpp|cs|php|sh|bat|ps1|sql|sqlite|db|log|bak|tmp|' +
  'exe|dll|msi|dmg|apk|ipa|iso|img|deb|rpm|jar|zip|rar|7z|t?gz|bz2|xz|zst|tar|gguf|onnx|bin|spm|' +
  'png|jpe?g|gif|webp|svg|bmp|tiff?|ico|psd|blend|ttf|otf|woff2?|' +
  'mp[34]|m4[av]|wav|ogg|opus|flac|avi|mkv|mov|webm|srt|vtt';
/** Endings of hosts that stand without a scheme. */
const HOSTS = 'com|org|net|edu|gov|gg|dev';

/** Letters and digits; letters without case, as of Chinese, stand beside names without a space. */
const LETTER = String.raw`\p{Lu}\p{Ll}\p{M}\p{N}`;
const SIGN = `[${LETTER}_]`;
/** A sign of a path: a dot at its end belongs to the sentence. */
const PATH_SIGN = String.raw`[${LETTER}_@+~-]|\.(?=${SIGN})`;
const PART = `(?:${PATH_SIGN})+`;
const ENDING = String.raw`\.(?:${ENDINGS}|${ENDINGS.toUpperCase()})(?!${SIGN}|@)`;
/** A path in words alone, such as `and/or`, is language. */
const IS_FILE = `(?=(?:${PATH_SIGN}|/)+?(?:_|${ENDING}))`;
const DATE = String.raw`\d{1,2}\.\d{1,2}\.(?:\d\d|\d{4})(?![.\d])`;
const THOUSANDS = String.raw`\d{1,3}(?:\.\d{3})+(?![.\d])`;

const code = new RegExp(
  [
    // Paths: of Unix, of Windows, within a folder.
    String.raw`(?:~|\.{1,2})/${PART}(?:/${PART})*/?`,
    String.raw`/${PART}(?:/${PART})+/?|/[a-z][\w-]{2,}(?![^\s.,;:!?)])`,
    String.raw`(?:[A-Za-z]:[\\/]|\\\\)(?:${PART}(?:[\\/]${PART})*[\\/]?)?`,
    String.raw`${PART}(?:\\${PART})+\\?`,
    String.raw`${IS_FILE}${PART}(?:/${PART})+`,
    // Names of files and hosts.
    String.raw`(?:[${LETTER}_+-]|\.(?=${SIGN}))+?${ENDING}`,
    String.raw`(?:[a-z\d-]+\.)+(?:${HOSTS})(?!${SIGN}|@)(?:/${PART})*/?`,
    // Versions.
    String.raw`[vV]\d+(?:\.\d+)*(?:-[a-z]+[.\d]*)?(?!${SIGN})`,
    String.raw`(?!${DATE}|${THOUSANDS})\d+(?:\.\d+){2,}(?:-[a-z]+[.\d]*)?(?!${SIGN})`,
    // Hashtags, identifiers, placeholders.
    String.raw`#[\p{L}_][\p{L}\p{M}\p{N}_]*(?:-${SIGN}+)*`,
    `_*[${LETTER}]+(?:_+[${LETTER}]+)+_*(?!${SIGN}|@)`,
    String.raw`[$#%@]?\{\{?[\w.:$!-]{1,40}\}?\}|\$[A-Za-z_]\w*|%[A-Z_]+%`,
    String.raw`%(?:\(\w[\w.]{0,40}\)|\d{1,2}\$)?[-+0#]?\d{0,3}(?:\.\d{1,2})?(?:l{0,2}[dux]|[sfigc@])(?!${SIGN})`,
  ]
    .map((each) => `(?:${each})`)
    .join('|')
    .replace(/^/, String.raw`(?<![${LETTER}_@/\\.:#$%&+~-])(?:`)
    .replace(/$/, ')'),
  'gu',
);
/** Signs of which each span holds one. */
const hint = /[/\\_{#%$]|\.[A-Za-z\d]|[vV]\d/g;
/** A beginning of a chunk that is an address as a whole, and found as one. */
const address = /^[(<"]?(?:[a-z][a-z\d+.-]{1,20}:\/\/|magnet:)/i;
/** A path from a drive on, in which names of folders may hold spaces. */
const drivePath =
  /(?<![A-Za-z\d])[A-Za-z]:\\(?:[^\\/:*?"<>|\s⟦⟧\uFFFC]+(?: [^\\/:*?"<>|\s⟦⟧\uFFFC]+){0,4}\\)+(?:[^\\/:*?"<>|\s⟦⟧\uFFFC]*[^\\/:*?"<>|\s⟦⟧\uFFFC.,;!)'’”}])?/y;

/** A stretch of plain text that computers read. `start` and `end` are UTF-16 offsets. */
export interface CodeSpan {
  readonly start: number;
  readonly end: number;
}

const space = /\s/;

/** The place of the white space before or after `at`; where there is none, that of the text's end. */
const edge = (text: string, at: number, step: 1 | -1): number => {
  let place = at;
  while (place >= 0 && place < text.length && !space.test(text[place] ?? '')) place += step;
  return place;
};

/**
 * Finds what is written for computers in plain text: paths, names of files and hosts, versions,
 * hashtags, identifiers such as `snake_case`, placeholders such as `{name}`. Takes linear time.
 */
export const codeSpans = (text: string): CodeSpan[] => {
  const spans: CodeSpan[] = [];
  hint.lastIndex = 0;
  for (let found = hint.exec(text); found; found = hint.exec(text)) {
    const start = edge(text, found.index, -1) + 1;
    const end = edge(text, found.index, 1);
    const chunk = text.slice(start, end);
    hint.lastIndex = end;
    if (address.test(chunk)) continue;
    const drive = chunk.search(/[A-Za-z]:\\/);
    drivePath.lastIndex = start + drive;
    if (drive >= 0 && drivePath.test(text)) {
      spans.push({ start: start + drive, end: drivePath.lastIndex });
      hint.lastIndex = Math.max(end, drivePath.lastIndex);
      continue;
    }
    code.lastIndex = 0;
    for (let match = code.exec(chunk); match; match = code.exec(chunk))
      spans.push({ start: start + match.index, end: start + code.lastIndex });
  }
  return spans;
};
