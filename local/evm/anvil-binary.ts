import { accessSync, chmodSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const architectures: Partial<Record<NodeJS.Architecture, string>> = { x64: 'amd64', arm64: 'arm64' };

/** The anvil binary itself: the package's JavaScript wrapper would leave it behind when the wrapper is killed. */
export function findAnvilBinary(): string {
  const architecture = architectures[process.arch];
  const platform = process.platform;
  const name = `@foundry-rs/anvil-${platform}-${architecture}`;
  // The platform package is a dependency of the wrapper, not of ours.
  const require = createRequire(import.meta.url);
  const wrapper = createRequire(require.resolve('@foundry-rs/anvil/package.json'));
  let packageFile: string;
  try {
    packageFile = wrapper.resolve(`${name}/package.json`);
  } catch {
    throw new Error(`No anvil for this machine: the package ${name} is not installed (npm ci installs it).`);
  }
  const binary = path.join(path.dirname(packageFile), 'bin', platform === 'win32' ? 'anvil.exe' : 'anvil');
  try {
    accessSync(binary, constants.X_OK);
  } catch {
    chmodSync(binary, 0o755);
  }
  return binary;
}
