import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { MINUTE_MS, realClock, type Clock } from '../../src/async/clock.ts';
import { validate } from '../body.ts';
import { ContractError, errorReply, invalidParameter } from '../errors.ts';
import type { OpenPath, Route, RouteContext } from '../route.ts';
import type { LanguagePair } from '../translation/plain-writing.ts';
import { translateSubtitles } from '../translation/subtitle-file.ts';
import {
  FILE_KINDS,
  FILE_LIMIT,
  inParts,
  LIBRE_PATHS,
  readLibreFields,
  readPair,
  translateHtml,
  translateText,
} from './libretranslate.ts';

/** Time for which a translated file can be fetched. */
const KEPT_MS = 10 * MINUTE_MS;
/** Most files that are kept, of all keys and of one; the oldest goes for a new one. */
const MOST_FILES = 64;
const MOST_OF_KEY = 16;
/** The start of a text in which its language is found. */
const DETECTED_CHARS = 5_000;
const LONGEST_NAME = 100;

const fileFields = z.object({
  source: z.string().min(1).default('auto'),
  target: z.string().min(1),
});

const decode = (bytes: ArrayBuffer): string => {
  const [first, second] = new Uint8Array(bytes);
  const isUtf16 = first === 0xff && second === 0xfe;
  try {
    return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidParameter('file: not a text in UTF-8');
  }
};

type Kind = (typeof FILE_KINDS)[number];

const translateFile = async (
  kind: Kind,
  text: string,
  pair: LanguagePair,
  context: RouteContext,
): Promise<string> => {
  const translate = (words: string) => inParts(words, (part) => translateText(part, pair, context));
  if (kind === '.txt') return translate(text);
  if (kind === '.html' || kind === '.htm') return translateHtml(text, pair, context);
  return translateSubtitles(text, translate);
};

/** Adds the language to a file's name, without signs that file systems and headers know. */
const nameOf = (name: string, kind: string, target: string): string => {
  const stem = name.slice(0, -kind.length).replaceAll(/[^\p{L}\p{M}\p{N} _-]+/gu, '_');
  return `${stem.slice(-LONGEST_NAME)}_${target}${kind}`;
};

export interface TranslatedFile {
  readonly owner: string;
  readonly name: string;
  readonly text: string;
}

export const createTranslatedFiles = (clock: Clock = realClock) => {
  const files = new Map<string, TranslatedFile>();
  return {
    /** Keeps a file for a while; returns its ID, which nobody can guess. */
    store: (file: TranslatedFile): string => {
      const own = [...files].flatMap(([id, { owner }]) => (owner === file.owner ? [id] : []));
      if (own.length >= MOST_OF_KEY) files.delete(own[0] ?? '');
      else if (files.size >= MOST_FILES) files.delete(files.keys().next().value ?? '');
      const id = randomUUID();
      files.set(id, file);
      clock.after(KEPT_MS, () => files.delete(id));
      return id;
    },
    find: (id: string): TranslatedFile | undefined => files.get(id),
  };
};

/** Creates the route that translates files, and the path from which whoever has its address fetches one. */
export const createLibreFiles = () => {
  const files = createTranslatedFiles();
  const route: Route = {
    method: 'POST',
    path: LIBRE_PATHS.translateFile,
    summary: 'Translation of a file, as LibreTranslate answers.',
    body: { 'multipart/form-data': fileFields.extend({ file: z.file() }) },
    access: 'translation',
    stage: 'translation',
    timeoutMs: 600_000,
    handle: async (context) => {
      const { request, signal, account } = context;
      const { file, ...fields } = await readLibreFields(request, signal, FILE_LIMIT);
      if (!(file instanceof File)) throw invalidParameter('file: there is none');
      const languages = validate(fileFields, fields);
      const kind = FILE_KINDS.find((each) => file.name.toLowerCase().endsWith(each));
      if (!kind) throw invalidParameter(`file: its name must end in ${FILE_KINDS.join(', ')}`);
      const text = decode(await file.arrayBuffer());
      const plain = text.replaceAll('\r\n', '\n');
      const { from, to } = readPair(languages, plain.slice(0, DETECTED_CHARS));
      const made = await translateFile(kind, plain, { from, to }, context);
      const name = nameOf(file.name, kind, to);
      const id = files.store({
        owner: account.name,
        name,
        text: text === plain ? made : made.replaceAll('\n', '\r\n'),
      });
      // The name stays out of what servers on the way log.
      const path = `/download_file/${id}${kind}`;
      return Response.json({ translatedFileUrl: new URL(path, request.url).href });
    },
  };

  const download: OpenPath = {
    method: 'GET',
    path: '/download_file/:file',
    summary: 'A translated file.',
    reply: { 'application/octet-stream': undefined },
    answer: (c) => {
      const id = c.req.param('file')?.split('.')[0] ?? '';
      const file = files.find(id);
      if (!file)
        return errorReply(
          new ContractError('ErrUnsupportedEndpoint', 'There is no such file, or not any more.'),
          'router',
        );
      return new Response(file.text, {
        headers: {
          // A page of somebody's must not run here.
          'content-type': 'application/octet-stream',
          'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
          'x-content-type-options': 'nosniff',
          'cache-control': 'no-store',
        },
      });
    },
  };
  return { route, download };
};
