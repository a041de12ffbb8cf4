import { useSlackCommand } from '../../test/fakes/slack-bot.ts';
import type { FakeChannel, FakeWorkspace, SlackFake } from '../../test/fakes/slack/index.ts';
import type { Place, Said } from './judge.ts';
import type { Freeze } from './shard-log.ts';

/** People who talk in channels of one workspace. */
export interface SlackTalk {
  /** Makes the channels known to a program that runs. */
  watch(): Promise<void>;
  /** Says one line, in each channel in its turn. */
  say(): void;
  /**
   * What was said and what stands, by place; without what Slack gave up to deliver.
   *
   * @param freezes those of the programs: one may get an event while it stands still, and nobody else knows of it
   */
  places(freezes: readonly Freeze[]): readonly Place[];
  /** Events that Slack delivered again, and that it gave up. */
  events(): { readonly repeated: number; readonly givenUp: number };
}

const THREADS = 4;
const LINKED = ['en', 'es'];

interface Line extends Said {
  readonly channel: FakeChannel;
}

const msOf = (ts: string): number => Number(ts) * 1_000;

/** The timestamp of the message that a mirror links to. */
const sourceOf = (blocks: unknown): string | undefined => {
  const { seconds, micros } =
    /\/p(?<seconds>\d{10})(?<micros>\d{6})/.exec(JSON.stringify(blocks))?.groups ?? {};
  return seconds === undefined ? undefined : `${seconds}.${micros}`;
};

export const startSlackTalk = (slack: SlackFake, workspace: FakeWorkspace): SlackTalk => {
  const admin = workspace.user({ name: 'admin', isAdmin: true });
  const people = ['Ada', 'Bob', 'Eva'].map((name) => workspace.user({ name }));
  const make = (name: string): FakeChannel => workspace.channel({ name, members: [admin] });
  const threads = Array.from({ length: THREADS }, (_, at) => make(`threads-${at}`));
  const linked = LINKED.map(make);
  const channels = [...threads, ...linked];
  const said: Line[] = [];

  /**
   * Timestamps of messages whose event Slack delivered again, of those that it gave up, and of those that were
   * taken as soon as a program went on.
   */
  const read = (freezes: readonly Freeze[] = []) => {
    const repeated = new Set<string>();
    const givenUp = new Set<string>();
    const frozen = new Set<string>();
    for (const { event, outcomes, lost } of slack.events.log) {
      const ts = String(event['ts']);
      if (outcomes.length > 1) repeated.add(ts);
      if (lost) givenUp.add(ts);
      const [first] = outcomes;
      const sentMs = msOf(ts) - performance.timeOrigin;
      const takenMs = first?.acked ? sentMs + first.afterMs : sentMs;
      if (freezes.some(({ fromMs, toMs }) => sentMs > fromMs && sentMs < toMs && takenMs >= toMs))
        frozen.add(ts);
    }
    return { repeated, givenUp, frozen };
  };

  return {
    watch: async () => {
      for (const channel of threads)
        await useSlackCommand(slack, admin, channel, 'autotranslate reply languages:ja');
      const list = linked.map(({ id, state }) => `<#${id}> ${state.name}`).join(', ');
      const text = `autotranslate mirror channels:"${list}"`;
      await useSlackCommand(slack, admin, linked[0]!, text);
    },
    say: () => {
      const channel = channels[said.length % channels.length]!;
      const by = people[said.length % people.length]!;
      const words = `This is L${said.length + 1}L of what we talk about here every day`;
      const { ts } = channel.say(by, words);
      said.push({ id: ts, channel, atMs: msOf(ts) });
    },
    places: (freezes) => {
      const { repeated, givenUp, frozen } = read(freezes);
      const saidIn = (channel: FakeChannel): readonly Line[] =>
        said.filter((line) => line.channel === channel && !givenUp.has(line.id));
      return [
        ...threads.map((channel): Place => ({
          name: `Slack #${channel.state.name}`,
          said: saidIn(channel),
          // Each translation stands in the thread of its source: there is no order among them.
          late: new Set(said.map(({ id }) => id)),
          shown: channel.state.messages.flatMap(({ botId, threadTs, ts }) =>
            botId === undefined || threadTs === undefined
              ? []
              : [{ source: threadTs, atMs: msOf(ts) }],
          ),
        })),
        ...linked.map((to): Place => ({
          name: `Slack #${to.state.name}`,
          said: linked.flatMap((from) => (from === to ? [] : saidIn(from))),
          late: repeated.union(frozen),
          shown: to.state.messages.flatMap(({ botId, blocks, ts }) => {
            const source = botId === undefined ? undefined : sourceOf(blocks);
            return source === undefined ? [] : [{ source, atMs: msOf(ts) }];
          }),
        })),
      ];
    },
    events: () => {
      const { repeated, givenUp } = read();
      return { repeated: repeated.size, givenUp: givenUp.size };
    },
  };
};
