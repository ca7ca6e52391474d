for(const e of document.querySelectorAll('[data-b]')){
const all=()=>document.querySelectorAll('[data-b="'+e.dataset.b+'"]');
e.onmouseenter=()=>all().forEach(x=>x.classList.add('on'));
e.onmouseleave=()=>all().forEach(x=>x.classList.remove('on'));
if(e.classList.contains('box'))e.onclick=()=>document.querySelector('.block[data-b="'+e.dataset.b+'"]')
?.scrollIntoView({behavior:'smooth',block:'center'});}
