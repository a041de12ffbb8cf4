import { z } from 'zod';
import { bytesOf, primary, type CatalogueModel } from './catalogue.ts';
import { fetchModelFile } from './fetch.ts';

/** The records that Firefox itself reads: one for each file, with its checksum. */
export const FIREFOX_REGISTRY =
  'https://firefox.settings.services.mozilla.com/v1/buckets/main/collections/translations-models-v2/records';
const FILES = 'https://firefox-settings-attachments.cdn.mozilla.net/';
const LONGEST_MS = 8_000;

/** Records of models that everybody gets, and those that only phones do without. */
const RELEASED: ReadonlySet<string> = new Set(['', "env.appinfo.OS != 'Android'"]);
/** Versions of models in a form that the engine reads; those of trials have letters in them. */
const READABLE = /^[1-3]\.\d+$/;
/** Sizes of models, the best first. */
const ARCHITECTURES = ['base', 'base-memory', 'tiny'];
/** The files of a model: with one vocabulary for both languages, or one for each. */
const PARTS = ['lex,model,vocab', 'lex,model,srcvocab,trgvocab'];

const record = z.object({
  sourceLanguage: z.string(),
  targetLanguage: z.string(),
  architecture: z.enum(ARCHITECTURES),
  version: z.string().regex(READABLE),
  fileType: z.string(),
  filter_expression: z.string().default(''),
  attachment: z.object({
    filename: z.string().regex(/^[\w.-]+$/),
    hash: z.string().regex(/^[0-9a-f]{64}$/),
    location: z.string().regex(/^[\w./-]+$/),
    size: z.int().positive(),
  }),
});
type Record = z.infer<typeof record>;

/** The models' code of a language; undefined for Traditional Chinese, which the engine does not write. */
const codeOf = (language: string): string | undefined =>
  language.endsWith('-Hant') ? undefined : primary(language);

const modelOf = (records: readonly Record[]): CatalogueModel | undefined => {
  const [first] = records;
  const [from, to] = [codeOf(first?.sourceLanguage ?? ''), codeOf(first?.targetLanguage ?? '')];
  const parts = records.map(({ fileType }) => fileType).toSorted();
  if (from === undefined || to === undefined || !PARTS.includes(parts.join(','))) return undefined;
  return {
    name: `bergamot-${from}-${to}`,
    ability: 'translation',
    title: `Firefox Translations, ${from} to ${to}`,
    languages: [from, to],
    licence: 'MPL-2.0',
    page: 'https://github.com/mozilla/translations',
    files: records.map(({ attachment: { filename, hash, location, size } }) => ({
      url: FILES + location,
      name: filename,
      bytes: size,
      sha256: hash,
    })),
  };
};

/** A key by which the newest version sorts last, and of one version the best architecture. */
const rankOf = ({ version, architecture }: Record): string =>
  `${version} ${ARCHITECTURES.length - ARCHITECTURES.indexOf(architecture)}`;

/**
 * Reads the models of a reply of Firefox's registry: of each direction the newest that is whole.
 * Records of another form are passed over. Throws where the reply is none.
 *
 * @param isSmall true for the smallest of each direction in place of the newest
 */
export const readFirefoxRegistry = (reply: unknown, isSmall = false): readonly CatalogueModel[] => {
  const { data } = z.object({ data: z.array(z.unknown()) }).parse(reply);
  const records = data
    .map((one) => record.safeParse(one).data)
    .filter((one) => one !== undefined && RELEASED.has(one.filter_expression)) as Record[];
  const groups = Object.groupBy(records, (one) =>
    [one.sourceLanguage, one.targetLanguage, one.filter_expression, rankOf(one)].join(' '),
  );
  const found = Object.values(groups).flatMap((group = []) => {
    const model = modelOf(group);
    return model && group[0] ? [{ model, rank: rankOf(group[0]) }] : [];
  });
  const bestLast = found.toSorted((a, b) =>
    isSmall
      ? bytesOf(b.model) - bytesOf(a.model)
      : a.rank.localeCompare(b.rank, 'en', { numeric: true }),
  );
  return [...new Map(bestLast.map(({ model }) => [model.name, model])).values()];
};

/** Asks Firefox's registry for its models. Rejects where it cannot be reached or is of another form. */
export const fetchFirefoxModels = async (
  options: { readonly signal: AbortSignal; readonly mirror?: string | undefined },
  isSmall: boolean,
): Promise<readonly CatalogueModel[]> => {
  const response = await fetchModelFile(FIREFOX_REGISTRY, {
    ...options,
    headers: { accept: 'application/json' },
    signal: AbortSignal.any([options.signal, AbortSignal.timeout(LONGEST_MS)]),
  });
  if (!response.ok) throw new Error(`the server answers ${response.status}`);
  return readFirefoxRegistry(await response.json(), isSmall);
};

/**
 * The catalogue with the registry's models in place of those that it lists itself, which are kept for
 * a file that the registry names and no host serves now.
 */
export const withModels = (
  catalogue: readonly CatalogueModel[],
  current: readonly CatalogueModel[],
): readonly CatalogueModel[] => {
  const byName = new Map(current.map((model) => [model.name, model]));
  const known = catalogue.map((model) => {
    const newer = byName.get(model.name);
    byName.delete(model.name);
    return newer ? { ...newer, pinned: model } : model;
  });
  return [...known, ...byName.values()];
};
