import type { SlackProcess } from './slack-bot.ts';
import type { FakeChannel, FakeMessage } from './slack/index.ts';

/**
 * People who talk in two channels, one with translations in threads and one that is linked with a third.
 * They also change what they said, and delete it.
 */
export interface SlackConversation {
  /** Says one line in one of the channels, each in its turn, and may change or delete an earlier one. */
  say(): void;
  /** Resolves when nothing is wrong any more; fails with what is. */
  settled(timeoutMs: number): Promise<void>;
  /** Lines without a translation, with several or with an old one, and translations of deleted lines. */
  faults(): readonly string[];
  /** Lines that have more than one translation. */
  doubled(): number;
  readonly lines: number;
  /** Lines that were changed, and that were deleted, after they were said. */
  readonly changed: number;
  readonly deleted: number;
}

interface Line {
  readonly message: FakeMessage;
  readonly number: number;
  readonly isLinked: boolean;
  version: number;
}

/** Every so many lines one is changed or deleted. */
const EDIT_EVERY = 5;
const DELETE_EVERY = 9;
/** How many lines back a changed or deleted one is. */
const BACK = [0, 1, 3, 8, 21];

/** The part of a line that only it has, also when it is translated. */
const wordsOf = ({ number, version }: Pick<Line, 'number' | 'version'>): string =>
  `L${number}V${version}L`;

const contentOf = (line: Pick<Line, 'number' | 'version'>): string =>
  `This is ${wordsOf(line)} of what we talk about`;

export const startSlackConversation = async (bot: SlackProcess): Promise<SlackConversation> => {
  const { workspace, admin, slack } = bot;
  const [threads, english, spanish] = ['threads', 'english', 'spanish'].map((name) =>
    workspace.channel({ name, members: [admin] }),
  ) as [FakeChannel, FakeChannel, FakeChannel];
  await bot.use(threads, 'autotranslate reply languages:ja');
  await bot.use(
    english,
    `autotranslate mirror channels:"<#${english.id}> en, <#${spanish.id}> es"`,
  );
  const people = ['Ada', 'Bob', 'Eva'].map((name) => workspace.user({ name }));
  const said: Line[] = [];
  let changed = 0;
  let deleted = 0;

  const translationsOf = ({ message, isLinked }: Line): readonly FakeMessage[] =>
    isLinked
      ? spanish.posts.filter(({ blocks }) =>
          JSON.stringify(blocks).includes(`/p${message.ts.replace('.', '')}`),
        )
      : message.replies.filter(({ isOurs }) => isOurs);

  const faultOf = (line: Line): string | undefined => {
    const found = translationsOf(line);
    const name = `line ${line.number}`;
    if (line.message.isDeleted)
      return found.length > 0
        ? `${name} is deleted and has ${found.length} translations`
        : undefined;
    if (found.length !== 1) return `${name} has ${found.length} translations`;
    return found[0]?.words.includes(wordsOf(line)) ? undefined : `${name} has an old translation`;
  };
  const faults = (): readonly string[] => said.map(faultOf).filter((fault) => fault !== undefined);

  /** A line that was said some lines ago and still stands. */
  const earlier = (index: number): Line | undefined => {
    const line = said.at(-1 - (BACK[index % BACK.length] ?? 1));
    return line && !line.message.isDeleted ? line : undefined;
  };

  return {
    say: () => {
      const number = said.length + 1;
      const isLinked = said.length % 2 === 1;
      const by = people[said.length % people.length] ?? admin;
      const line = { number, version: 1, isLinked };
      const message = (isLinked ? english : threads).say(by, contentOf(line));
      said.push({ ...line, message });

      const edited = number % EDIT_EVERY === 0 ? earlier(number / EDIT_EVERY) : undefined;
      if (edited) {
        edited.version += 1;
        changed += 1;
        edited.message.edit(contentOf(edited));
      }
      const gone = number % DELETE_EVERY === 0 ? earlier(number / DELETE_EVERY) : undefined;
      if (gone) {
        deleted += 1;
        gone.message.delete();
      }
    },
    settled: async (timeoutMs) => slack.until(() => faults().length === 0, timeoutMs),
    faults,
    doubled: () =>
      said.filter((line) => !line.message.isDeleted && translationsOf(line).length > 1).length,
    get lines() {
      return said.length;
    },
    get changed() {
      return changed;
    },
    get deleted() {
      return deleted;
    },
  };
};
