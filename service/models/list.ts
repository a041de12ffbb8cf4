import { toAppError } from '../../src/errors.ts';
import { LANGUAGES, languageName } from '../../src/text/language/language-names.ts';
import { columns } from '../engine-report.ts';
import { bytesOf, primary, type CatalogueModel } from './catalogue.ts';
import { folderBytes, megabytes } from './disk.ts';
import { isModel, listInstalled, type InstalledFolder } from './installed.ts';
import { findLayout, type Layout } from './layout.ts';
import { measuresOf } from './trial.ts';

/** Most languages that are named one by one. */
const MOST_NAMES = 6;

const namesOf = (languages: readonly string[]): string =>
  languages.length > MOST_NAMES
    ? `${languages.length} languages`
    : languages.map((code) => languageName(code, 'en')).join(', ');

const direction = (languages: readonly string[]): string => languages.join(' to ');

/** A catalogue's model as cells of a table: name, ability, size of the download, licence, languages. */
export const describe = (model: CatalogueModel): readonly string[] => [
  model.name,
  model.ability,
  megabytes(bytesOf(model)),
  model.licence,
  model.ability === 'translation' ? direction(model.languages) : namesOf(model.languages),
];

/** The facts about an installed model: its layout and languages, or what keeps it from being used. */
export const inspect = async ({ name, path, record }: InstalledFolder) => {
  const common = { name, record, bytes: await folderBytes(path) };
  try {
    const layout = await findLayout(path);
    return { ...common, layout, languages: layout.languages ?? record?.languages ?? [] };
  } catch (error) {
    return { ...common, fault: toAppError(error).message.replace(`${path}: `, '') };
  }
};

/** The kind and the languages of a model. */
const contentOf = (layout: Layout, languages: readonly string[]): readonly [string, string] => {
  const { ability } = layout;
  switch (ability) {
    case 'translation':
      return [ability, direction(languages)];
    case 'speech': {
      const { length } = layout.speakers;
      const spoken = layout.speakers.map((speaker) =>
        speaker.languages ? namesOf(speaker.languages) : speaker.voice.language,
      );
      return [
        `${ability}, ${length} ${length === 1 ? 'voice' : 'voices'}`,
        [...new Set(spoken)].join(', '),
      ];
    }
    case 'chat':
    case 'diarisation':
      return [ability, namesOf(languages)];
    case 'recognition':
      return [`${ability}, ${layout.model.kind}`, namesOf(languages)];
  }
};

/** An installed model as cells: name, kind, size, licence, languages, and what keeps it from being used. */
const describeInstalled = async (folder: InstalledFolder): Promise<readonly string[]> => {
  const { name, record, bytes, ...found } = await inspect(folder);
  const [size, licence] = [megabytes(bytes), record?.licence ?? ''];
  if ('fault' in found) return [name, 'not usable', size, licence, '', found.fault];
  const [kind, languages] = contentOf(found.layout, found.languages);
  const state = ['ready', ...measuresOf(found.layout.ability, record?.measured)].join(', ');
  return [name, kind, size, licence, languages, state];
};

/** The languages that recognisers of the catalogue hear and no voice of it speaks, the most used first. */
const voiceless = (catalogue: readonly CatalogueModel[]): readonly string[] => {
  const known = (ability: CatalogueModel['ability']): ReadonlySet<string> =>
    new Set(
      catalogue
        .filter((model) => model.ability === ability)
        .flatMap(({ languages }) => languages.map(primary)),
    );
  const [heard, spoken] = [known('recognition'), known('speech')];
  return LANGUAGES.filter((code) => heard.has(primary(code)) && !spoken.has(primary(code)));
};

/** Prints the installed models, and those of the catalogue that are not. */
export const describeModels = async (
  catalogue: readonly CatalogueModel[],
  root: string,
  print: (line: string) => void,
): Promise<void> => {
  const installed = await listInstalled(root);
  print(installed.length > 0 ? `Installed in ${root}:` : `No model is installed in ${root}.`);
  for (const line of columns(await Promise.all(installed.map(describeInstalled)))) print(line);
  const others = catalogue.filter(({ name }) => !installed.some((one) => isModel(one, name)));
  print('To be installed with "npm run service -- models add NAME":');
  for (const line of columns(others.map(describe))) print(line);
  const without = [...new Set(voiceless(catalogue).map((code) => languageName(code, 'en')))];
  if (without.length > 0)
    print(
      `The catalogue has no voice for ${without.join(', ')}: eSpeak NG speaks most of them, or a Piper voice of your own.`,
    );
};
