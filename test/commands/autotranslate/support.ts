import { SPACE, type CommandHarness } from '../../fakes/command-harness.ts';

/** The watches of the harness's space. */
export const watchesOf = ({ services }: CommandHarness) =>
  services.watches.list(SPACE).map(({ channel, mode, languages, transcribes, bots }) => ({
    id: channel.id,
    mode,
    languages,
    transcribes,
    bots,
  }));

/** A channel of another platform. */
export const placeOfSetup = (platform: string) => ({ space: { platform, id: 'space' }, id: '100' });
