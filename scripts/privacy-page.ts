import { MINUTE_MS } from '../src/async/clock.ts';
import { CONTEXT_MESSAGES } from '../src/autotranslate/prepare/context.ts';
import { LIFE_MS } from '../src/autotranslate/asked/translations.ts';
import { CLEARED_EVERY_MS } from '../src/autotranslate/retention.ts';
import { coreSection } from '../src/app/core-config.ts';
import { MOST_REWRITTEN_BYTES } from '../src/sqlite/open.ts';
import { TABLES } from '../src/store/privacy/tables.ts';
import type { Schema } from '../src/store/schema.ts';
import { DATA_CATALOGUE, type TableData } from './data-catalogue.ts';
import { COLUMN_KINDS, DATA_COLUMNS, type ColumnKind } from './data-columns.ts';
import { REMEMBERED_MS } from '../src/translation/engine-turns.ts';
import { REMEMBERED_LINES } from '../src/translation/language-history.ts';
import { RECORD_MS } from '../src/voice/rooms.ts';

const MEBIBYTE = 1_024 * 1_024;
const minutes = (ms: number): string => `${ms / MINUTE_MS} minutes`;

const BEFORE = `# What Dragoman stores

Made by \`npm run privacy-page\` from the schema of the database: a table or a column that is missing here doesn't
compile. This page is for everybody who wants to know what is stored about them, and for operators who have to say so.

- \`/privacy\` shows people what is stored, exports it, deletes it (_Delete my data_) and lets them opt out.
- What moderators decided about a person stays until they end it, so that it holds: that copies of their messages are stopped
  (as a hash), and rules that leave their messages out or translate only them (with their ID). The export says where.
- When Dragoman is removed from a Discord server or a Slack workspace, everything of it is deleted. What was posted
  there stays.
- With SQLite, what is deleted is overwritten in the database's file and its journal: at once for people and servers,
  and within ${minutes(CLEARED_EVERY_MS)} for the text of messages that were translated. A file of more than ${MOST_REWRITTEN_BYTES / MEBIBYTE} MiB isn't
  rewritten: there, deleted text can stay in gaps of the file until something new is written over it.
- With PostgreSQL, what is deleted is gone from its table at once. Its bytes stay in the server's files until autovacuum
  has freed their space and something new is written there, and in the write-ahead log (WAL) until it is recycled.
- Backups are up to the operator.
- To be translated, transcribed or spoken, text and audio are sent to the AI service that the operator chose. The
  built-in service stores none of it; [its keys](service.md#keys) are stored as hashes with a name, access and credit.
- Translations, transcripts, answers and voices are made by machines (AI). People are told so when auto-translate is set up in
  their channel, in \`/privacy\`, in the notice of captions and beside each file of speech. The files of \`/say\` carry a mark that
  programs can read: the field \`DIGITALSOURCETYPE\` with the term \`trainedAlgorithmicMedia\` of the IPTC and a comment, in the
  ID3 tag of MP3, the Vorbis comments of Ogg and FLAC, and the INFO list of WAV. Bare samples (\`pcm\`) have no place for it,
  and replies of the built-in service to other programs have a header in place of it (\`AI-Disclosure\`).
- The log never holds a message, audio, a key or a token.

## Never stored

Audio of voice channels, recordings and files; their transcripts; questions to the language model and their answers;
translations.

## In memory only

These are gone when the program ends, and earlier as it says here:

- The last ${CONTEXT_MESSAGES} messages of each channel with auto-translate, as context. Deleting one's data or opting out removes one's
  own.
- Names of people of linked channels, and whether somebody of a server elsewhere has one like them: for an hour or until the program
  ends. On Slack also the names in a workspace that are compared, for an hour.
- Who set the newest flags on messages, so that they can ask what became of them.
- The languages of the last ${REMEMBERED_LINES} messages of a person on a server, and of a channel.
- Which engines translated a message from its menu, and for whom: for ${minutes(REMEMBERED_MS)}.
- What somebody has read with \`/catchup\`, with its translations: for ${minutes(2 * LIFE_MS)} at most. When anybody deletes
  their data or opts out, all of it is dropped.
- Captions of a voice channel: until ${minutes(RECORD_MS)} after Dragoman left it.
- On the page: messages, commands, answers and names, until newer ones replace them or their author deletes their data.
  Files of the page are in a temporary folder for as long.
- Speech that its listener hasn't taken yet: the built-in service keeps it in memory and in temporary files.

## In the database

Beside these tables there are those of the migrations and, in PostgreSQL, \`kept_claims\`: which server and database this
is, to know after a crash what may have been lost. Nothing in them is about anybody.
`;

const AFTER = `## In the browser

The page sets two cookies that no script can read and no other site can have sent: one that recognises the visitor, and
one of the session where a token is needed. The browser also keeps the display name, the theme and whether originals are
shown.
`;

const defaults: Readonly<Record<string, unknown>> = coreSection.parse({});

/** The text with the default of each variable that it names. */
const withDefaults = (text: string): string =>
  text.replaceAll(
    /`([A-Z_]+)`/g,
    (name, variable: string) => `${String(defaults[variable])} days (${name})`,
  );

const columnsByKind = (columns: Readonly<Record<string, ColumnKind>>): string =>
  (Object.keys(COLUMN_KINDS) as ColumnKind[])
    .flatMap((kind) => {
      const names = Object.entries(columns).filter(([, found]) => found === kind);
      if (names.length === 0) return [];
      return [`${COLUMN_KINDS[kind]} (${names.map(([name]) => `\`${name}\``).join(', ')})`];
    })
    .join('; ');

const removedWith = (table: keyof Schema, { removed }: TableData): string => {
  if (removed !== undefined) return removed;
  const { spaces } = TABLES[table];
  if (spaces.length === 0) return 'Nothing in it is about one.';
  return spaces.length === 1 ? 'Deleted.' : 'Deleted, whichever of the two is removed.';
};

const sectionOf = ([table, data]: readonly [string, TableData]): string =>
  [
    `### ${data.title}: \`${table}\``,
    '',
    `- **Stored:** ${data.stored}`,
    `- **About:** ${data.about}`,
    `- **Why:** ${data.why}`,
    `- **Kept:** ${withDefaults(data.kept)}`,
    `- **Delete my data:** ${data.forgotten ?? 'Nothing in it is about a person.'}`,
    `- **Server or workspace removed:** ${removedWith(table as keyof Schema, data)}`,
    `- **Columns:** ${columnsByKind(DATA_COLUMNS[table as keyof typeof DATA_COLUMNS])}.`,
    '',
  ].join('\n');

/** The page as the schema has it. */
export const privacyPage = (): string =>
  [BEFORE, ...Object.entries(DATA_CATALOGUE).map(sectionOf), AFTER].join('\n');
