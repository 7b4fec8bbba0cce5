/** Shows where the reader is: in the sidebar, and in the contents of the page. */

const sidebar = document.querySelector<HTMLElement>('.docs-sidebar');
const current = sidebar?.querySelector<HTMLElement>('[aria-current="page"]');
// Only the sidebar scrolls, and only if the page's own entry is out of sight.
if (sidebar && current) {
  const below = current.offsetTop + current.offsetHeight - sidebar.clientHeight;
  if (below > 0) sidebar.scrollTop = below + sidebar.clientHeight / 2;
}

const links = [...document.querySelectorAll<HTMLAnchorElement>('.docs-contents a')];
const headings = links.flatMap((link) => document.getElementById(link.hash.slice(1)) ?? []);

/** How far below the top of the window a heading counts as passed. */
const passed = 120;

function mark(): void {
  const isAtEnd = window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 2;
  const found = headings.findLastIndex((heading) => heading.getBoundingClientRect().top < passed);
  const at = isAtEnd && window.scrollY > 0 ? headings.length - 1 : Math.max(0, found);
  for (const [index, link] of links.entries())
    if (index === at) link.setAttribute('aria-current', 'location');
    else link.removeAttribute('aria-current');
}

if (headings.length > 0) {
  let isPlanned = false;
  const plan = () => {
    if (isPlanned) return;
    isPlanned = true;
    requestAnimationFrame(() => {
      isPlanned = false;
      mark();
    });
  };
  addEventListener('scroll', plan, { passive: true });
  mark();
}
