import { describe, expect, it } from 'vitest';

/** What every implementation of one port must do. A check throws where it does not. */
export interface Contract<Port> {
  readonly [check: string]: (port: Port) => Promise<void>;
}

/** Runs every check against one implementation. */
export const testContract = <Port>(
  name: string,
  contract: Contract<Port>,
  open: () => Promise<Port> | Port,
): void => {
  describe(name, () => {
    for (const [check, run] of Object.entries(contract)) it(check, async () => run(await open()));
  });
};

/** Proves that the contract can fail: each broken implementation fails just the named check. */
export const testBroken = <Port>(
  contract: Contract<Port>,
  broken: Readonly<Record<string, { readonly port: Port; readonly fails: string }>>,
): void => {
  describe('an implementation that', () => {
    for (const [fault, { port, fails }] of Object.entries(broken))
      it(`${fault} is found out`, async () => {
        const check = contract[fails];
        if (!check) throw new Error(`there is no check "${fails}"`);
        await expect(check(port)).rejects.toThrow();
      });
  });
};
