import type { Capabilities, Platform } from '../../src/ports/platform.ts';

export const FAKE_CAPABILITIES: Capabilities = {
  choices: 25,
  controlRows: 5,
  rowButtons: 5,
  labelChars: 80,
  fileBytes: 10 * 1_048_576,
};

/** A platform of which only the name, the limits and which ports it has are ever asked for. */
export const fakePlatform = (
  name: string,
  ports: readonly ('voice' | 'feed' | 'mirrors')[] = [],
): Platform =>
  ({
    name,
    capabilities: FAKE_CAPABILITIES,
    ...Object.fromEntries(ports.map((port) => [port, {}])),
  }) as Platform;
