import { createHash, randomUUID } from 'node:crypto';
import type { Uploads } from './outbound/uploads.ts';
import { createLru } from '../../src/async/lru.ts';
import { faultFields, type MessageKey } from '../../src/errors.ts';
import type { Log } from '../../src/telemetry/log.ts';
import type { OutgoingFile, Content } from '../../src/model/message.ts';
import { keyOf, type Space, type Member } from '../../src/model/place.ts';
import type { Api } from './api.ts';
import type { Mentions } from './mentions.ts';
import { openDirectChannel, type People } from './people.ts';
import { channelOf, PLATFORM } from './ids.ts';
import { readMember } from './interactions/invocations.ts';
import { HEADER_CHARS, LABEL_CHARS, VIEW_BLOCKS } from './limits.ts';
import { plain, type SlackBlock } from './outbound/blocks.ts';
import { render } from './outbound/render.ts';
import type { Core } from '../../src/adapter.ts';
import type { Translate } from '../../src/i18n/texts.ts';
import type { CommandInfo } from '../../src/model/command-info.ts';
import type { Answer, PressInvocation } from '../../src/ports/platform.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';
import { shorten } from '../../src/text/quoted-words.ts';

interface Picture {
  readonly digest: string;
  readonly fileId: string;
}

/** People whose picture is remembered. */
const PEOPLE = 500;

/**
 * Creates the store of pictures in App Home: one a person, uploaded again only when it changed, so that
 * a workspace does not fill with old charts.
 */
export const createPictures = (uploads: Pick<Uploads, 'keep' | 'remove'>, log: Log) => {
  const pictures = createLru<string, Picture>(PEOPLE);

  const remove = async (space: Space, { fileId }: Picture): Promise<void> => {
    try {
      await uploads.remove(space, fileId);
    } catch (thrown) {
      log.info(faultFields(thrown), 'Slack: an old picture of App Home was not deleted');
    }
  };

  return {
    /** Resolves with the id of a file of Slack's that shows this picture. */
    idOf: async (space: Space, memberId: string, file: OutgoingFile): Promise<string> => {
      const key = `${keyOf(space)} ${memberId}`;
      const digest = createHash('sha256').update(file.bytes).digest('hex');
      const before = pictures.get(key);
      if (before?.digest === digest) return before.fileId;
      const fileId = await uploads.keep(space, file);
      pictures.set(key, { digest, fileId });
      if (before) await remove(space, before);
      return fileId;
    },
    /** Drops what is known of a workspace that removed the app. */
    forgetSpace: (space: Space): void => {
      for (const [key] of pictures) if (key.startsWith(`${keyOf(space)} `)) pictures.delete(key);
    },
  };
};

/** A part of App Home: what a command shows, with buttons that open the modals of others. */
interface Section {
  readonly title: Extract<MessageKey, `slack.home.${string}`>;
  readonly command: string;
  readonly modals: readonly string[];
  /** True when only moderators see it. */
  readonly moderators?: true;
}

const SECTIONS: readonly Section[] = [
  { title: 'slack.home.language', command: 'language', modals: [] },
  { title: 'slack.home.voice', command: 'voice', modals: ['voice'] },
  { title: 'slack.home.privacy', command: 'privacy', modals: [] },
  {
    title: 'slack.home.autotranslate',
    command: 'autotranslate panel',
    modals: ['autotranslate mirror'],
    moderators: true,
  },
  {
    title: 'slack.home.glossary',
    command: 'glossary list',
    modals: ['add', 'import', 'remove', 'export'].map((name) => `glossary ${name}`),
    moderators: true,
  },
  { title: 'slack.home.settings', command: 'settings', modals: [], moderators: true },
  { title: 'slack.home.usage', command: 'usage', modals: [] },
];

/** Prefix of the actions that open a modal. */
export const MODAL_ACTION = 'modal:';

/** Blocks of one section; the rest of a long list is in the command's own answer. */
const SECTION_BLOCKS = 12;
/** People whose App Home is remembered, to change one section of it. */
const SHOWN_PEOPLE = 500;

export interface HomeDeps {
  /** The list of first steps, above everything else. */
  readonly steps: (space: Space, member: Member) => Promise<RichText>;
  readonly api: Api;
  readonly core: Core;
  readonly people: Pick<People, 'of'>;
  readonly mentions: Pick<Mentions, 'on'>;
  readonly uploads: Uploads;
}

export interface HomePress extends Pick<PressInvocation, 'press' | 'values' | 'control'> {
  /** Id of the block whose control was pressed. */
  readonly blockId: string;
  /** Says a fault in the form that was sent, where there is one. */
  readonly refuse?: Answer['refuse'];
}

const isPicture = ({ mediaType }: OutgoingFile): boolean => mediaType.startsWith('image/');

/** Gives the blocks of a section ids by which a press tells which section it is in. */
const withIds = (blocks: readonly SlackBlock[], command: string): readonly SlackBlock[] =>
  blocks.map((block, index) =>
    block.type === 'actions' || block.type === 'section'
      ? { ...block, block_id: `${command}/${index}` }
      : block,
  );

/** Buttons that open the modals of a section; that of its own command is named after no command. */
const buttons = (
  { command, modals }: Section,
  infos: ReadonlyMap<string, CommandInfo>,
  label: Translate,
): readonly SlackBlock[] => {
  const elements = modals
    .flatMap((name) => infos.get(name) ?? [])
    .map(({ name, summary }) => ({
      type: 'button',
      action_id: `${MODAL_ACTION}${name}`,
      text: plain(shorten(name === command ? label('slack.home.choose') : summary, LABEL_CHARS)),
    }));
  return elements.length > 0 ? [{ type: 'actions', elements }] : [];
};

/** The blocks that sections show, by their commands. */
type Bodies = ReadonlyMap<string, readonly SlackBlock[]>;

export type Home = ReturnType<typeof createHome>;

/** Creates App Home: each person's settings, and those of the workspace for its moderators. */
export const createHome = (deps: HomeDeps, stopped: AbortSignal) => {
  const { api, core, people, mentions, uploads, steps } = deps;
  const { log } = core;
  const pictures = createPictures(uploads, log);
  const shown = createLru<string, Bodies>(SHOWN_PEOPLE);
  /** The ones of these that presses brought; they stay until the person opens App Home again or presses there. */
  const turned = createLru<string, Bodies>(SHOWN_PEOPLE);

  const sendFiles = async (
    space: Space,
    member: Member,
    files: readonly OutgoingFile[],
  ): Promise<readonly SlackBlock[]> => {
    const others = files.filter((file) => !isPicture(file));
    if (others.length > 0) {
      const direct = await openDirectChannel(api, space, member.id);
      await uploads.post(space, others, { channelId: direct.id, threadTs: undefined });
    }
    const blocks: SlackBlock[] = [];
    for (const file of files.filter(isPicture))
      blocks.push({
        type: 'image',
        alt_text: file.altText ?? file.name,
        slack_file: { id: await pictures.idOf(space, member.id, file) },
      });
    return blocks;
  };

  const blocksOf = async (space: Space, content: Content): Promise<readonly SlackBlock[]> =>
    render(await mentions.on(space, content)).flatMap(({ blocks }) => blocks);

  /** Runs a command or press, and gives the blocks that it shows last. */
  const captured = async (
    space: Space,
    member: Member,
    run: (answer: Answer) => Promise<void>,
    refuse?: Answer['refuse'],
  ): Promise<readonly SlackBlock[] | undefined> => {
    let last: Content | undefined;
    await run({
      ...(refuse ? { refuse } : {}),
      paceMs: 1_000,
      show: async (content) => {
        last = content;
      },
    });
    if (!last) return undefined;
    const texts = await blocksOf(space, last);
    const files = await sendFiles(space, member, last.files ?? []);
    const controls = texts.filter(({ type }) => type === 'actions' || type === 'section');
    const words = texts.filter((block) => !controls.includes(block));
    return [...words.slice(0, SECTION_BLOCKS - files.length), ...files, ...controls];
  };

  const infosFor = ({ locale }: Member): ReadonlyMap<string, CommandInfo> =>
    new Map(core.commands(locale, PLATFORM).map((info) => [info.name, info]));

  const publish = async (space: Space, member: Member): Promise<void> => {
    const infos = infosFor(member);
    const label = core.texts.in(member.locale);
    const own = shown.get(`${keyOf(space)} ${member.id}`) ?? new Map();
    const title = (key: Section['title']): SlackBlock => ({
      type: 'header',
      text: plain(shorten(label(key), HEADER_CHARS)),
    });
    const first = await blocksOf(space, { text: await steps(space, member) });
    const blocks = SECTIONS.flatMap((section): readonly SlackBlock[] => {
      const body = own.get(section.command) as readonly SlackBlock[] | undefined;
      if (!infos.has(section.command) || !body) return [];
      return [
        title(section.title),
        ...withIds([...body, ...buttons(section, infos, label)], section.command),
      ];
    });
    const all = first.length > 0 ? [title('slack.home.steps'), ...first, ...blocks] : blocks;
    await api.call(space, 'views.publish', {
      user_id: member.id,
      view: { type: 'home', blocks: all.slice(0, VIEW_BLOCKS) },
    });
  };

  const invocation = (space: Space, member: Member) => ({
    id: randomUUID(),
    member,
    channel: channelOf(space.id, member.id),
    signal: stopped,
  });

  /** Has every section say what it shows now, but those that stay. */
  const fill = async (space: Space, member: Member, staying: Bodies): Promise<void> => {
    const key = `${keyOf(space)} ${member.id}`;
    turned.set(key, staying);
    const visible = SECTIONS.filter(({ moderators }) => !moderators || member.role === 'moderator');
    const bodies = await Promise.all(
      visible.map(async ({ command }) => {
        const dispatched = async (): ReturnType<typeof captured> =>
          captured(space, member, async (answer) =>
            core.dispatch({ ...invocation(space, member), command, options: {}, answer }),
          );
        return [command, staying.get(command) ?? (await dispatched()) ?? []] as const;
      }),
    );
    shown.set(key, new Map(bodies));
  };

  const open = async (space: Space, userId: string): Promise<void> => {
    const member = await readMember(people, space, userId);
    await fill(space, member, new Map());
    await publish(space, member);
  };

  const failed = (thrown: unknown): void => {
    if (!stopped.aborted) log.warn(faultFields(thrown), 'Slack: App Home was not shown');
  };

  return {
    /** Drops what the people of a workspace were shown. */
    forgetSpace: (space: Space): void => {
      for (const bodies of [shown, turned])
        for (const [key] of bodies) if (key.startsWith(`${keyOf(space)} `)) bodies.delete(key);
      pictures.forgetSpace(space);
    },
    open: (space: Space, userId: string): void => void open(space, userId).catch(failed),
    /** Does what a control in App Home says, and shows what became of it. */
    press: async (space: Space, member: Member, pressed: HomePress): Promise<void> => {
      const { blockId, refuse, ...chosen } = pressed;
      const [command = ''] = blockId.split('/');
      const key = `${keyOf(space)} ${member.id}`;
      const body = await captured(
        space,
        member,
        async (answer) => core.press({ ...invocation(space, member), ...chosen, answer }),
        refuse,
      );
      if (!body) return;
      // What was changed here may be shown in the other parts, too.
      await fill(space, member, new Map(turned.get(key)).set(command, body));
      await publish(space, member);
    },
  };
};
