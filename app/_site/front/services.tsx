import type { ReactNode } from 'react';
import { freeOperations } from '@/lib/catalog';
import { type Category, categories } from '@/lib/catalog/categories';
import type { FreeOperation } from '@/lib/catalog/free-operation';
import type { Operation } from '@/lib/catalog/operation';
import { forAgents, referencePath } from '@/lib/discovery/contents';
import type { SiteConfig } from '@/lib/discovery/site-config';
import { priceOf } from '../price';
import { firstSentence } from '../words';

/** Every paid call by group, with its price, and the free ones. */
export function Services({ site }: { site: SiteConfig }): ReactNode {
  const { operations } = forAgents(site);
  const groups = (Object.keys(categories) as Category[])
    .map((category) => ({ category, offered: operations.filter((one) => one.category === category) }))
    .filter(({ offered }) => offered.length > 0);
  // Those for accounts and lists are in the reference.
  const free = freeOperations.filter(({ category }) => category === 'service');
  return (
    <section className="band" aria-labelledby="prices">
      <h2 id="prices">Services and prices</h2>
      <p className="band-lead">
        Each call has one price, which includes the network fee. 1 USDC is worth about 1 US dollar. A request
        with invalid input costs nothing.
      </p>
      {groups.map(({ category, offered }) => (
        <Group key={category} id={category} title={categories[category].title} calls={offered} />
      ))}
      <Group id="free" title="Free of charge" calls={free} />
    </section>
  );
}

interface GroupProps {
  readonly id: string;
  readonly title: string;
  readonly calls: readonly (Operation | FreeOperation)[];
}

function Group({ id, title, calls }: GroupProps): ReactNode {
  return (
    <section className="group" aria-labelledby={`group-${id}`}>
      <h3 id={`group-${id}`}>{title}</h3>
      <ul>
        {calls.map((call) => (
          <li key={call.id}>
            <a href={referencePath(call)}>{call.title}</a>
            <span className="price">{priceOf(call)}</span>
            <p>{firstSentence(call.summary)}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
